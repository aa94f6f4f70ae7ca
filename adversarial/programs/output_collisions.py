"""Writes names that are two here and one on a file system that folds case or normalises."""
import os
import sys

os.chdir("/tmp/output")
with open("plain", "w") as file:
    file.write("p")
for name in {"case": ["A.txt", "a.txt"],
             "normalisation": ["caf\u00e9", "cafe\u0301"],
             "folders": ["Out/a", "out/b"],
             "sharp": ["STRASSE", "stra\u00dfe"]}[sys.argv[1]]:
    if "/" in name:
        os.mkdir(os.path.dirname(name))
    with open(name, "w") as file:
        file.write(name)
