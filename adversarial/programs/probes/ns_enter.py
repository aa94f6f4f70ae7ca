# Enters a namespace of its own: by unshare, by clone, or by joining that of a child. Entered is what
# /proc/self/ns says, and for a user namespace a full set of capabilities.
import os

UNSHARE, CLONE, CLONE3, SETNS = 272, 56, 435, 308
FLAGS = {"user": 0x10000000, "mnt": 0x00020000, "uts": 0x04000000, "ipc": 0x08000000, "net": 0x40000000,
         "pid": 0x20000000, "cgroup": 0x02000000}
kinds, how = ASK["args"]["kinds"], ASK["args"]["how"]
flags = sum(FLAGS[kind] for kind in kinds)


def link(kind):
    # unshare changes the pid namespace of later children only, and it has no link before the first of them.
    try:
        return os.readlink(f"/proc/self/ns/{'pid_for_children' if kind == 'pid' and how == 'unshare' else kind}")
    except FileNotFoundError:
        return "new, still empty"


def links():
    return {kind: link(kind) for kind in kinds}


def rights():
    with open("/proc/self/status") as status:
        return next(line.split()[1] for line in status if line.startswith("CapEff"))


def in_child(enter):
    """What a child that `enter` starts says of itself."""
    reader, writer = os.pipe()
    child = enter(writer)
    os.close(writer)
    said = os.read(reader, 1000).decode()
    os.waitpid(child, 0)
    return said


def by_clone(writer):
    child = syscall(CLONE, flags | 17, 0, 0, 0, 0)  # 17: SIGCHLD
    if child == 0:
        os.write(writer, repr([links(), rights()]).encode())
        os._exit(0)
    return child


def by_clone3():
    import ctypes
    import struct
    arguments = ctypes.create_string_buffer(struct.pack("=QQQQQQQQ", flags, 0, 0, 0, 17, 0, 0, 0))
    child = syscall(CLONE3, arguments, 64)
    if child == 0:
        os._exit(7 if links() != before else 8)
    return links() if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 8 else {"entered": True}


def join_child():
    """A child makes the namespaces and waits; this process joins them."""
    made, hold = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            syscall(UNSHARE, flags)
            os.write(made[1], b"made")
        except OSError as error:
            os.write(made[1], str(error.errno).encode())
        os.close(hold[1])
        os.read(hold[0], 1)
        os._exit(0)
    os.close(hold[0])
    said = os.read(made[0], 10)
    if said != b"made":
        raise OSError(int(said), "in the child")
    syscall(SETNS, os.pidfd_open(child), flags)
    return links()


def enter():
    if how == "clone":
        return in_child(by_clone)
    if how == "clone3":
        return by_clone3()
    if how == "setns":
        return join_child()
    syscall(UNSHARE, flags)
    return links()


before = links()
signature, after = attempt(enter)
if signature == "reached" and (after == before or isinstance(after, dict)
                               and any(after[kind] == before[kind] for kind in after if kind in before)):
    signature = "still here"
end(signature, after, before=before, rights=rights())
