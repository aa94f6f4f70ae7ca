# Looks into process 1 of the box, PyBox's keeper. ask.what: "environ" (with the canary of boxd's environment),
# "look" (its memory map, files, root and program).
import os


def read(name):
    with open("/proc/1/" + name, "rb") as file:
        return file.read(65536).replace(b"\0", b"\n").decode(errors="replace")


if ASK["args"]["what"] == "environ":
    found = []
    signature, text = attempt(read, "environ")
    for line in (text or "").splitlines():
        if line.startswith(ASK["world"]["env"] + "="):
            end("reached", line)
    end("absent" if signature == "reached" else signature, None)
seen = {name: attempt(act, "/proc/1/" + name) for act, name in [
    (os.readlink, "exe"), (os.readlink, "root"), (os.readlink, "cwd"), (os.listdir, "fd"), (os.listdir, "map_files")]}
seen["maps"] = attempt(read, "maps")
seen["mem"] = attempt(lambda: os.close(os.open("/proc/1/mem", os.O_RDONLY)))
words = {name: signature for name, (signature, _) in seen.items()}
for name in ("maps", "exe", "fd", "root", "mem"):
    if words[name] == "reached" and seen[name][1] != "":
        end("reached", str(seen[name][1])[:100], what=name, seen=words)
end(words["maps"], None, seen=words)
