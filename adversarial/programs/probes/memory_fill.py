# Takes memory in one of several ways, up to twice the limit.
import mmap
import os
import socket

MIB = 1 << 20
most, how = 2 * ASK["args"]["limit_mib"], ASK["args"]["how"]
held = []


def heap():
    for _ in range(most):
        held.append(b"\xff" * MIB)


def shared():
    memory = mmap.mmap(-1, most * MIB)  # shared and anonymous: the kernel's own tmpfs, not the box's
    for at in range(0, most * MIB, 4096):
        memory[at] = 1


def file():
    with open("/tmp/filling", "wb", buffering=0) as out:
        for _ in range(most):
            out.write(b"\xff" * MIB)


def page_tables():
    # One page in every 2 MiB costs a page, and another for the table that finds it.
    memory = mmap.mmap(-1, most * MIB // 8192 * (2 * MIB), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
    # A huge page would be 2 MiB of memory and no table; a kernel without them says EINVAL.
    attempt(memory.madvise, mmap.MADV_NOHUGEPAGE)
    for at in range(0, len(memory), 2 * MIB):
        memory[at] = 1


def sockets():
    # Kernel memory: what was sent and is read by nobody. Sixteen processes, for their descriptors.
    def fill(size):
        while size > 0:
            pair = socket.socketpair()
            pair[0].setblocking(False)
            held.append(pair)
            try:
                while size > 0:
                    size -= pair[0].send(b"\xff" * 4096)
            except BlockingIOError:
                pass  # this pair is full
    ready, hold = os.pipe(), os.pipe()
    for _ in range(16):
        if os.fork() == 0:
            os.close(hold[1])
            fill(most * MIB // 16)
            os.write(ready[1], b".")
            os.read(hold[0], 1)  # until the parent is done, or gone
            os._exit(0)
    os.close(ready[1])
    full = 0
    while full < 16:
        full += len(os.read(ready[0], 16)) or end("a child died", full)


def child():
    if (pid := os.fork()) == 0:
        heap()
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        end(f"child killed by {os.WTERMSIG(status)}")


ways = {"heap": heap, "shared": shared, "file": file, "page_tables": page_tables, "sockets": sockets, "child": child}
signature, _ = attempt(ways[how])
end(signature, f"{most} MiB")
