# Opens a file by its handle, past every path.
import ctypes
import os


class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_char * 128)]


def open_by_handle():
    with open("/tmp/secret", "w") as file:
        file.write(ASK["nonce"])
    handle, mount = Handle(128), ctypes.c_int()
    syscall(303, -100, b"/tmp/secret", ctypes.byref(handle), ctypes.byref(mount), 0)
    at = os.open("/tmp", os.O_RDONLY)
    with open(syscall(304, at, ctypes.byref(handle), os.O_RDONLY)) as file:
        return file.read()


end(*attempt(open_by_handle))
