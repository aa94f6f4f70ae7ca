"""Leaves files with set-id bits, for everybody, and for nobody."""
import os

os.chdir("/tmp/output")
for name, mode in {"setid": 0o6777, "open": 0o666, "shut": 0}.items():
    with open(name, "w") as file:
        file.write(name)
    os.chmod(name, mode)
os.mkdir("folder")
with open("folder/inside", "w") as file:
    file.write("inside")
os.chmod("folder", 0)
