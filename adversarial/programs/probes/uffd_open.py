# Makes a descriptor that would let the program stall the kernel at its own page faults.
import os

USER_MODE_ONLY = 1


def make():
    fd = syscall(323, USER_MODE_ONLY)
    return os.readlink(f"/proc/self/fd/{fd}")


signature, proof = attempt(make)
end(signature if proof in (None, "anon_inode:[userfaultfd]") else "another descriptor", proof)
