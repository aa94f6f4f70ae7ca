# Makes an array map in the kernel, puts a number into it and reads it back.
import ctypes
import os
import struct

CREATE, LOOKUP, UPDATE, ARRAY = 0, 1, 2, 2


def keep_a_number():
    bpf = lambda command, attr: syscall(321, command, ctypes.create_string_buffer(attr), len(attr))
    fd = bpf(CREATE, struct.pack("=IIII", ARRAY, 4, 8, 1).ljust(72, b"\0"))
    key, value, room = ctypes.c_uint(0), ctypes.c_ulonglong(4711), ctypes.c_ulonglong(0)
    at = lambda target: struct.pack("=I4xQQQ", fd, ctypes.addressof(key), ctypes.addressof(target), 0)
    bpf(UPDATE, at(value))
    bpf(LOOKUP, at(room))
    return [os.readlink(f"/proc/self/fd/{fd}"), room.value]


signature, proof = attempt(keep_a_number)
end(signature if proof is None or proof[1] == 4711 else "lost", proof)
