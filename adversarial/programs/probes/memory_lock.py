# Pins twice as much memory as it may.
import ctypes
import mmap

MLOCK, SIZE = 149, 2 * 1024 * ASK["args"]["limit_kib"]


def pin():
    memory = mmap.mmap(-1, SIZE)
    syscall(MLOCK, ctypes.addressof(ctypes.c_char.from_buffer(memory)), SIZE)
    with open("/proc/self/status") as status:
        return int(next(line.split()[1] for line in status if line.startswith("VmLck")))


signature, proof = attempt(pin)
end("too little" if proof is not None and proof * 1024 < SIZE else signature, proof)
