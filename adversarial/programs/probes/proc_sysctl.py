# Writes to a kernel setting below /proc/sys: one that belongs to the box's own queues, so that nobody else is met.
import os

PATH = "/proc/sys/kernel/msgmax"
OTHERS = ["kernel/core_pattern", "kernel/modprobe", "kernel/ns_last_pid", "fs/binfmt_misc/register", "vm/drop_caches"]


def change():
    with open(PATH) as file:
        before = file.read().strip()
    with open(PATH, "w") as file:
        file.write("4096" if before != "4096" else "8192")
    with open(PATH) as file:
        after = file.read().strip()
    if after == before:
        end("without effect")
    return [before, after]


seen = {name: os.access("/proc/sys/" + name, os.F_OK) for name in OTHERS}
seen["sysrq-trigger"] = os.access("/proc/sysrq-trigger", os.F_OK)
signature, proof = attempt(change)
end(signature, proof, seen=seen)
