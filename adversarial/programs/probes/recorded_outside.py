# Reads a file outside the box and a private setting of PyBox, and prints what came of both.
import os


def read():
    with open(ASK["world"]["file"]) as file:
        return file.read(200)


found, text = attempt(read)
setting = os.environ.get(ASK["world"]["env"])
print([found, setting], flush=True)
if setting is not None:
    end("reached", setting)
end(found, text)
