# Leaves more in /tmp/output than may come back. ask: so many files of so many bytes each.
import os

os.chdir("/tmp/output")
for i in range(ASK["args"]["files"]):
    with open(f"f{i:04}", "wb") as file:
        file.write(bytes(ASK["args"]["bytes"]))
end("left")
