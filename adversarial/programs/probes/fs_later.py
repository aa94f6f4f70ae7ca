# Waits for a file that is mounted outside, again and again, while the program runs.
import os
import time


def read(path):
    with open(path) as file:
        return file.read()


until = time.monotonic() + 3
signature, proof = "ENOENT", None
while signature != "reached" and time.monotonic() < until:
    for place in [""] + ["/" + name for name in os.listdir("/")]:
        signature, proof = attempt(read, place + ASK["world"]["later"])
        if signature == "reached":
            break
    else:
        time.sleep(0.05)
end(signature, proof)
