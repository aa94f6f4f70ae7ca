# Looks whether anything is mounted that does not belong to a box.
import os

EXPECTED = {"/": "overlay", "/proc": "proc", "/dev": "tmpfs", "/dev/shm": "tmpfs", "/tmp": "tmpfs"}
DEVICES = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

extra = []
with open("/proc/self/mountinfo") as table:
    for line in table:
        fields = line.split()
        point, kind = fields[4], fields[fields.index("-") + 1]
        if EXPECTED.get(point) != kind and point not in DEVICES:
            extra.append([point, kind])
old = [name for name in os.listdir("/") if name.startswith(".") or "old" in name]
if extra or old:
    end("reached", [extra, old])
end("nothing", None)
