"""Tries every way to change what was handed in below /tmp/input, and prints how each ended."""
import json
import os
import sys

FILE, FOLDER = "/tmp/input/d/a.csv", "/tmp/input/d"


def how(act):
    try:
        act()
    except OSError as error:
        return type(error).__name__
    return "done"


ways = {
    "write": lambda: open(FILE, "w"),
    "append": lambda: open(FILE, "a"),
    "update": lambda: open(FILE, "r+"),
    "truncate": lambda: os.truncate(FILE, 0),
    "remove": lambda: os.remove(FILE),
    "rename within": lambda: os.rename(FILE, FOLDER + "/b.csv"),
    "rename away": lambda: os.rename(FILE, "/tmp/b.csv"),
    "rename into the output": lambda: os.rename(FILE, "/tmp/output/b.csv"),
    "rename over": lambda: os.replace("/tmp/case.py", FILE),
    "rename the folder": lambda: os.rename(FOLDER, "/tmp/d"),
    "remove a folder": lambda: os.rmdir(FOLDER + "/empty"),
    "new file": lambda: open(FOLDER + "/new", "w"),
    "new folder": lambda: os.mkdir("/tmp/input/new"),
    "new link": lambda: os.symlink("/etc/passwd", "/tmp/input/link"),
}
# Where the box has one id only, the program owns its copy as it owns everything.
if "other-owner" in sys.argv:
    ways |= {
        "set a time": lambda: os.utime(FILE, (0, 0)),
        "open it up": lambda: os.chmod(FILE, 0o666),
        "open the folder up": lambda: os.chmod(FOLDER, 0o777),
        "move it all away": lambda: os.rename("/tmp/input", "/tmp/elsewhere"),
        "remove it all": lambda: os.rmdir("/tmp/input"),
        "a second name": lambda: os.link(FILE, "/tmp/output/second"),
    }
found = {way: how(act) for way, act in ways.items()}
with open(FILE) as file:
    print(json.dumps({"found": found, "text": file.read()}))
