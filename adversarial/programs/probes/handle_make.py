# Asks for a handle, by which a file can later be opened without walking to it.
import ctypes
import os
import struct


def handle():
    with open("/tmp/handle-probe", "w"):
        pass
    room = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0), 136)
    mount = ctypes.c_int(0)
    syscall(303, -100, b"/tmp/handle-probe", room, ctypes.addressof(mount), 0)
    size = struct.unpack_from("=I", room.raw)[0]
    return room.raw[8:8 + size].hex()


signature, proof = attempt(handle)
end(signature if proof != "" else "empty", proof)
