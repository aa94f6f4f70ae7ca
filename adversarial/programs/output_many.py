"""Tries to leave 100,000 files; what the box's file system takes is what has to be collected."""
import os

os.chdir("/tmp/output")
made = 0
try:
    for i in range(100_000):
        os.close(os.open(f"f{i:06}", os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as error:
    print(error.strerror)
print(made)
