# Reads beside the working folder, by relative paths.
import os

NAME = os.path.basename(ASK["world"]["file"])


def read(path):
    with open(path) as file:
        return file.read()


signature, where = attempt(os.getcwd)
seen = {path: attempt(read, path) for path in (NAME, "../" + NAME, "../" * 8 + ASK["world"]["file"].lstrip("/"))}
for path, (word, proof) in seen.items():
    if word == "reached":
        end("reached", proof, path=path, cwd=where or signature)
end(seen[NAME][0], None, cwd=where or signature)
