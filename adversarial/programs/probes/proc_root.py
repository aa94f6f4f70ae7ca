# Reads a file of root's through the root folder of whichever process outside has it in sight.
import os

WORLD = ASK["world"]


def read(process):
    with open(f"/proc/{process}/root{WORLD['file_root']}") as file:
        return file.read()


seen = {}
for process in [WORLD["process"], *(name for name in os.listdir("/proc") if name.isdecimal())]:
    seen[process], proof = attempt(read, process)
    if seen[process] == "reached":
        end("reached", proof, process=process)
end(seen[WORLD["process"]], None, others=sorted({str(signature) for signature in seen.values()}))
