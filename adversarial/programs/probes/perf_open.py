# Opens a software counter of the program's own time and reads it.
import os
import struct


def count():
    import ctypes
    # type SOFTWARE (1), size 112, config CPU_CLOCK (0); flags: exclude_kernel, exclude_hv
    attr = struct.pack("=IIQQQQQ", 1, 112, 0, 0, 0, 0, 1 << 5 | 1 << 6).ljust(112, b"\0")
    fd = syscall(298, ctypes.create_string_buffer(attr), 0, -1, -1, 0)
    for _ in range(1000):
        pass
    return struct.unpack("=Q", os.read(fd, 8))[0]


signature, proof = attempt(count)
end(signature if proof != 0 else "counts nothing", proof)
