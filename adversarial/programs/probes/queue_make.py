# Makes a POSIX message queue and passes the nonce through it: kernel memory that no cgroup limit names.
import ctypes

OPEN, SEND, RECEIVE = 240, 242, 243
CREATE_RDWR = 0o102


def pass_through():
    queue = syscall(OPEN, b"pybox-probe", CREATE_RDWR, 0o600, 0)
    word = ASK["nonce"].encode()
    syscall(SEND, queue, word, len(word), 0, 0)
    room = ctypes.create_string_buffer(8192)
    size = syscall(RECEIVE, queue, room, 8192, 0, 0)
    return room.raw[:size].decode()


signature, proof = attempt(pass_through)
end(signature if proof in (None, ASK["nonce"]) else "other bytes", proof)
