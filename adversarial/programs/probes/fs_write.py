# Tries to create a file or to change one, here and there in the system; whatever was written is read back.
import os

TRIES = ["/x", "/etc/x", "/usr/x", "/usr/lib/x", "/proc/x", "/dev/x"]


def create(path):
    with open(path, "x") as file:
        file.write(ASK["nonce"])
    with open(path) as file:
        return file.read()


def append(path):
    with open(path, "a") as file:
        file.write("\n# " + ASK["nonce"])
    with open(path) as file:
        return file.read()[-40:]


seen = {path: attempt(create, path) for path in TRIES}
seen["os.py"] = attempt(append, os.__file__)
seen["python"] = attempt(append, "/usr/bin/python3")
seen["itself"] = attempt(append, "/proc/self/exe")
seen["chmod /"] = attempt(os.chmod, "/", 0o777)
if os.stat("/").st_mode & 0o777 != 0o777 and seen["chmod /"][0] == "reached":
    seen["chmod /"] = ("without effect", None)
detail = {path: signature for path, (signature, _) in seen.items()}
for path in seen:
    if detail[path] == "reached":
        end("reached", seen[path][1], where=path, seen=detail)
end(detail["/dev/x"], None, seen=detail)
