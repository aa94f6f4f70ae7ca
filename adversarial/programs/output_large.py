"""Leaves files that are larger, or pretend to be larger, than what may come back."""
import os

os.chdir("/tmp/output")
for size in (1 << 40, 60 << 20):
    try:
        with open(f"sparse-{size}", "wb") as file:
            file.truncate(size)
    except OSError as error:
        print(size, error.strerror)
with open("large", "wb") as file:
    for _ in range(9):
        file.write(b"0" * (1 << 20))
with open("zeros", "wb") as file:
    file.truncate(1 << 20)
with open("small", "w") as file:
    file.write("s")
