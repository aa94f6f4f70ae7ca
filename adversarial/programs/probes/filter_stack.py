# Puts a filter that allows everything on top of the box's, then makes a call that the box refuses.
import ctypes
import os
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
allow = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7fff0000))  # BPF_RET, SECCOMP_RET_ALLOW
program = ctypes.create_string_buffer(struct.pack("=HxxxxxxQ", 1, ctypes.addressof(allow)))


def filters():
    with open("/proc/self/status") as status:
        return int(next(line.split()[1] for line in status if line.startswith("Seccomp_filters")))


before = filters()
syscall(157, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
syscall(157, PR_SET_SECCOMP, MODE_FILTER, program)
if filters() != before + 1:
    end("no filter was added", filters())
signature, proof = attempt(lambda: os.readlink(f"/proc/self/fd/{syscall(323, 1)}"))
end(signature, proof)
