# Lists the network interfaces that have an address (SIOCGIFCONF). Any beside the box's loopback is the host's.
import fcntl
import socket
import struct

SIOCGIFCONF, ENTRY = 0x8912, 40


def names():
    room = bytearray(ENTRY * 64)
    import ctypes
    address = ctypes.addressof(ctypes.c_char.from_buffer(room))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        filled = struct.unpack("=iiQ", fcntl.ioctl(s, SIOCGIFCONF, struct.pack("=iiQ", len(room), 0, address)))[0]
    return [bytes(room[at:at + 16]).split(b"\0")[0].decode() for at in range(0, filled, ENTRY)]


found = names()
end("reached" if set(found) - {"lo"} else "only lo", found)
