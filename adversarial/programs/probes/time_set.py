# Sets the system's clock to what it shows.
import ctypes
import struct
import time


def set_to_now():
    now = time.time_ns()
    syscall(227, 0, ctypes.create_string_buffer(struct.pack("=qq", now // 10**9, now % 10**9)))  # clock_settime
    return now


signature, proof = attempt(set_to_now)
end(signature, proof)
