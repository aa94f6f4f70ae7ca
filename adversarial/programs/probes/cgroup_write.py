# Raises the box's own limit of tasks: looks for a cgroup file system, or mounts one. Once the limit is written it is
# read back, and set to what it was.
import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
NAME = "pids.max"
VERSIONS = {"cgroup": b"pids", "cgroup2": None}


def mount(kind, options):
    os.makedirs("/tmp/cg", exist_ok=True)
    if LIBC.mount(b"cgroup", b"/tmp/cg", kind.encode(), ctypes.c_ulong(0), options) != 0:
        raise OSError(ctypes.get_errno(), "mount")


def raise_limit(path):
    with open(path) as file:
        before = file.read().strip()
    wanted = str(2 * int(before)) if before.isdecimal() else before
    with open(path, "w") as file:
        file.write(wanted)
    with open(path) as file:
        after = file.read().strip()
    with open(path, "w") as file:
        file.write(before)
    if after != wanted or after == before:
        end("without effect", [before, after])
    return [before, after]


first = None
for kind, options in VERSIONS.items():
    signature, _ = attempt(mount, kind, options)
    first = first or signature
    if signature != "reached":
        continue
    with open("/proc/self/cgroup") as file:
        own = [line.rstrip("\n").split(":", 2) for line in file]
    controller = "pids" if kind == "cgroup" else ""
    path = next((p for _, names, p in own if controller in names.split(",")), "/")
    if os.path.exists(f"/tmp/cg{path}/{NAME}"):
        signature, proof = attempt(raise_limit, f"/tmp/cg{path}/{NAME}")
        end(signature, proof, kind=kind)
end(first, None)
