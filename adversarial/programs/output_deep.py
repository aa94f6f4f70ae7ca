"""Builds a tree as deep as the file system allows, and names as long as it allows."""
import os

os.chdir("/tmp/output")
with open("top", "w") as file:
    file.write("t")
depth = 0
try:
    while depth < 5000:
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
        depth += 1
        if depth == 3:
            with open("third", "w") as file:
                file.write("3")
except OSError as error:
    print(error.strerror)
print(depth)
