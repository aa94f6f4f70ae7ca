"""Tries to put something else in the place of /tmp/output."""
import os
import shutil


def how(act):
    try:
        act()
    except OSError as error:
        return type(error).__name__
    return "done"


with open("/tmp/output/honest", "w") as file:
    file.write("h")
print("rename", how(lambda: os.rename("/tmp/output", "/tmp/moved")))
print("link", how(lambda: os.symlink("/etc", "/tmp/output")))
print("rmdir", how(lambda: os.rmdir("/tmp/output")))
shutil.rmtree("/tmp/link", ignore_errors=True)
os.symlink("/etc", "/tmp/link")
print("replace", how(lambda: os.rename("/tmp/link", "/tmp/output")))
