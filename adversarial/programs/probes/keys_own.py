# Puts a secret into a key ring and reads it back: key rings outlive the program and are shared by user id.
import ctypes

ADD_KEY, KEYCTL, READ, PROCESS_RING = 248, 250, 11, -2


def keep_and_read():
    secret = ASK["nonce"].encode()
    key = syscall(ADD_KEY, b"user", b"pybox-probe", secret, len(secret), PROCESS_RING)
    room = ctypes.create_string_buffer(100)
    size = syscall(KEYCTL, READ, key, room, 100)
    return room.raw[:size].decode()


signature, proof = attempt(keep_and_read)
end(signature if proof in (None, ASK["nonce"]) else "other bytes", proof)
