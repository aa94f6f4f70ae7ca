# Mounts. ask.how: "mount" (the old call), "new" (the mount API of Linux 5.2), "remount" (/dev writable again).
import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_NOSUID, MS_NOEXEC = 1, 32, 4096, 2, 8
FSOPEN, FSCONFIG, FSMOUNT, MOVE_MOUNT = 430, 431, 432, 429


def mount(source, target, kind, flags):
    if LIBC.mount(source, target, kind, ctypes.c_ulong(flags), None) != 0:
        raise OSError(ctypes.get_errno(), "mount")


def old_way(target):
    mount(b"probe", target.encode(), b"tmpfs", 0)


def new_way(target):
    context = syscall(FSOPEN, b"tmpfs", 0)
    syscall(FSCONFIG, context, 6, None, None, 0)
    made = syscall(FSMOUNT, context, 0, 0)
    syscall(MOVE_MOUNT, made, b"", -100, target.encode(), 4)


def written(path):
    with open(path, "x") as file:
        file.write(ASK["nonce"])
    with open(path) as file:
        return file.read()


def new_mount(make):
    target = "/tmp/m"
    os.makedirs(target, exist_ok=True)
    before = os.stat(target).st_dev
    make(target)
    if os.stat(target).st_dev == before:
        end("without effect")
    return os.stat(target).st_dev


def remount():
    mount(None, b"/dev", None, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NOEXEC)
    return written("/dev/x")


how = ASK["args"]["how"]
signature, proof = attempt(remount) if how == "remount" else attempt(new_mount, old_way if how == "mount" else new_way)
end(signature, proof)
