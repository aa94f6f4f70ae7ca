# Waits for a file that is mounted outside, again and again with another text, while the program runs.
import os
import time


def read(path):
    with open(path) as file:
        return file.read()


def look():
    """(signature, text) of the first place that has the file."""
    for place in [""] + ["/" + name for name in os.listdir("/")]:
        signature, text = attempt(read, place + ASK["world"]["later"])
        if signature == "reached":
            break
    return signature, text


before = look()
until = time.monotonic() + 3
signature, proof = before
while time.monotonic() < until:
    signature, proof = look()
    if signature == "reached" and proof != before[1]:
        end("reached", proof)
    time.sleep(0.05)
end("as-before" if signature == "reached" else signature)
