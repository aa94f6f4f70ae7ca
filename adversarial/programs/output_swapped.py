"""Leaves processes behind that go on changing the output while PyBox ends the run."""
import os

os.chdir("/tmp/output")
with open("steady", "w") as file:
    file.write("s")


def for_ever(act):
    if os.fork():
        return
    os.setsid()
    while True:
        try:
            act()
        except OSError:
            pass


def grow():
    with open("growing", "ab") as file:
        file.write(b"x" * 4096)


def swap():
    with open("swapped", "w") as file:
        file.write("mine")
    os.symlink("/etc/passwd", "link")
    os.rename("link", "swapped")


def swap_folder():
    os.mkdir("folder")
    with open("folder/passwd", "w") as file:
        file.write("mine")
    os.rename("folder", "gone")
    os.symlink("/etc", "folder")
    os.unlink("folder")


for act in (grow, swap, swap_folder):
    for_ever(act)
