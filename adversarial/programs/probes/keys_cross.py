# Looks for a key of PyBox's own user in that user's key ring and reads it.
import ctypes

KEYCTL, SEARCH, READ, USER_RING = 250, 10, 11, -4


def find_and_read():
    key = syscall(KEYCTL, SEARCH, USER_RING, b"user", ASK["world"]["key"].encode(), 0)
    room = ctypes.create_string_buffer(200)
    size = syscall(KEYCTL, READ, key, room, 200)
    return room.raw[:size].decode()


if "key" not in ASK["world"]:
    end("not-planted")
signature, proof = attempt(find_and_read)
end(signature, proof)
