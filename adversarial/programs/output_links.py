"""Leaves links of every kind, special files and hard links beside one honest file."""
import os
import socket
import stat

os.chdir("/tmp/output")
with open("good", "w") as file:
    file.write("g")
for name, target in {"passwd": "/etc/passwd", "folder": "/etc", "inner": "good", "dangling": "nowhere",
                     "self": "self", "up": "../..", "proc": "/proc/self/root/etc/passwd",
                     "input": "/tmp/input", "descriptor": "/proc/self/fd/0"}.items():
    os.symlink(target, name)
os.mkdir("sub")
os.symlink("/etc", "sub/etc")
os.symlink("..", "sub/up")
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
with open("twice", "w") as file:
    file.write("t")
os.link("twice", "sub/twice")
# None of these can succeed in a box; were one to, it would have to be listed too.
for attempt in (lambda: os.mknod("device", stat.S_IFCHR | 0o666, os.makedev(1, 3)),
                lambda: os.link("/usr/bin/python3", "python"),
                lambda: os.link("/etc/passwd", "hard")):
    try:
        attempt()
        print("MADE")
    except OSError:
        pass
