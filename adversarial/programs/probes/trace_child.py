# Looks into another process, a child that holds the nonce in its memory and in a pipe, in one of several ways.
import ctypes
import os
import struct

secret = ctypes.create_string_buffer(ASK["nonce"].encode())  # at the same address in the child
SIZE = len(ASK["nonce"])
ready, hold = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    inside = os.pipe()
    os.write(inside[1], secret.value)
    os.write(ready[1], struct.pack("=i", inside[0]))
    os.read(hold[0], 1)  # until the parent is done, or gone
    os._exit(0)
os.close(hold[0])
for byte in range(SIZE):
    secret[byte] = b"?"  # only the child has it from now on
child_end = struct.unpack("=i", os.read(ready[0], 4))[0]
room = ctypes.create_string_buffer(SIZE)


def vectors():
    local = (ctypes.c_void_p * 2)(ctypes.addressof(room), SIZE)
    remote = (ctypes.c_void_p * 2)(ctypes.addressof(secret), SIZE)
    return local, 1, remote, 1, 0


def read_memory():
    syscall(310, child, *vectors())  # process_vm_readv
    return room.raw.decode()


def write_memory():
    room.raw = b"!" * SIZE
    syscall(311, child, *vectors())  # process_vm_writev
    with open(f"/proc/{child}/mem", "rb", buffering=0) as memory:
        memory.seek(ctypes.addressof(secret))
        return ASK["nonce"] if memory.read(SIZE) == b"!" * SIZE else "unchanged"


def attach():
    PTRACE_PEEKDATA, PTRACE_ATTACH, PTRACE_DETACH = 2, 16, 17
    syscall(101, PTRACE_ATTACH, child, 0, 0)
    os.waitpid(child, 0)
    for at in range(0, SIZE, 8):
        word = ctypes.create_string_buffer(8)  # the raw call writes the word to its fourth argument
        syscall(101, PTRACE_PEEKDATA, child, ctypes.addressof(secret) + at, word)
        room[at:at + 8] = word.raw
    syscall(101, PTRACE_DETACH, child, 0, 0)
    return room.raw.decode()


def take_descriptor():
    fd = syscall(438, os.pidfd_open(child), child_end, 0)  # pidfd_getfd
    return os.read(fd, SIZE).decode()


def compare():
    KCMP_FILE = 0
    syscall(312, os.getpid(), child, KCMP_FILE, 1, 1)
    return ASK["nonce"]


ways = {"read": read_memory, "write": write_memory, "attach": attach, "fd": take_descriptor, "compare": compare}
signature, proof = attempt(ways[ASK["args"]["how"]])
end(signature if proof in (None, ASK["nonce"]) else "other bytes", proof)
