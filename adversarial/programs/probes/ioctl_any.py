# A device request that is on no list: asks a file for its block size (FIGETBSZ).
import fcntl
import os
import struct


def block_size():
    fd = os.open("/tmp", os.O_RDONLY)
    return struct.unpack("=i", fcntl.ioctl(fd, 2, b"\0" * 4))[0]


signature, proof = attempt(block_size)
end(signature if proof is None or proof >= 512 else "no size", proof)
