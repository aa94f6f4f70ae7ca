# Looks for what lies outside the box's root: by its own path, by paths that might lead out, and below every folder
# under which an old root might have been kept. ask.what: "read" a file, "connect" to a Unix socket, "write" into a
# folder, "group" (read a file that is for a group).
import os
import socket

WORLD = ASK["world"]


def read(path):
    with open(path) as file:
        return file.read()


def connect(path):
    os.chdir(os.path.dirname(path))  # an address of a Unix socket is 107 bytes long at most
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(3)
        s.connect(os.path.basename(path))
        return s.recv(200).decode()


def write(folder):
    path = os.path.join(folder, ASK["nonce"])
    with open(path, "x") as file:
        file.write(ASK["nonce"])
    written = read(path)
    os.unlink(path)
    beside = folder[:len(folder) - len(WORLD["folder"].lstrip("/"))] + WORLD["file"].lstrip("/")
    return [written, read(beside)]  # what was written, and the canary of that same place


ACT, WHERE = {"read": (read, "file"), "connect": (connect, "unix"), "write": (write, "folder"),
              "group": (read, "file_group")}[ASK["args"]["what"]]
TARGET = WORLD[WHERE]
DOTS = "../" * 64 + TARGET.lstrip("/")
ways = [TARGET, "/" + DOTS, DOTS, "/proc/self/root" + TARGET, "/proc/self/cwd/" + DOTS, "/proc/1/root" + TARGET]
ways += ["/" + name + TARGET for name in sorted(os.listdir("/"))]
seen = [attempt(ACT, path) for path in ways]
for path, (signature, proof) in zip(ways, seen):
    if signature == "reached":
        end("reached", proof, path=path)
# ENOENT of all of them, or what the nearest miss was.
words = {signature for signature, _ in seen} - {"ENOENT"}
end(min(words, default="ENOENT"), None, seen=[signature for signature, _ in seen])
