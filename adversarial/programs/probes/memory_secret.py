# Makes memory that not even the kernel's own view of the process shows, writes to it and reads it.
import mmap
import os


def hide():
    fd = syscall(447, 0)  # memfd_secret
    os.ftruncate(fd, 4096)
    with mmap.mmap(fd, 4096) as memory:
        memory[:32] = ASK["nonce"].encode()
        return memory[:32].decode()


signature, proof = attempt(hide)
end(signature, proof)
