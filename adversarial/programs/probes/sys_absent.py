# Looks for a sysfs or a cgroup file system, at its own place or wherever one is mounted, and reads from it.
import os

READ = ["kernel/vmcoreinfo", "kernel/uevent_seqnum", "class/dmi/id/product_uuid", "class/net/lo/address", "power/state"]
LIST = ["kernel/debug", "kernel/security", "fs/bpf", "fs/fuse", "fs/cgroup", "firmware", "class/powercap", "devices"]


def read(path):
    with open(path) as file:
        return file.read(200)


places = ["/sys"]
with open("/proc/self/mountinfo") as table:
    for line in table:
        fields = line.split()
        if fields[fields.index("-") + 1] in ("sysfs", "cgroup", "cgroup2"):
            places.append(fields[4])
for place in places:
    told = {name: attempt(read, f"{place}/{name}") for name in READ}
    told |= {name: attempt(os.listdir, f"{place}/{name}") for name in LIST}
    told = {name: proof for name, (signature, proof) in told.items() if signature == "reached" and proof}
    if told:
        end("reached", str(told)[:500], place=place)
end(attempt(os.listdir, "/sys")[0], None, places=places)
