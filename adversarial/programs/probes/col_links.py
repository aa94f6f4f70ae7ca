# Leaves links in /tmp/output that lead to a file outside. ask.how: "file" (links to the file itself), "folder" (links
# to the folder it lies in).
import os

FILE = ASK["world"]["file"]
target = FILE if ASK["args"]["how"] == "file" else os.path.dirname(FILE)
os.chdir("/tmp/output")
os.symlink(target, "absolute")
os.symlink("../" * 32 + target.lstrip("/"), "relative")
os.symlink("/proc/self/root" + target, "magic")
os.symlink("absolute", "twice")
end("left")
