# Reads a System V segment and a queue that were made outside.
import ctypes



def segment():
    made = syscall(29, ASK["world"]["shm_key"], 0, 0)
    at = syscall(30, made, 0, 0o10000)
    return ctypes.string_at(at).decode()


def queue():
    found = syscall(68, ASK["world"]["msg_key"], 0)
    buffer = ctypes.create_string_buffer(300)
    size = syscall(70, found, ctypes.byref(buffer), 200, 0, 0o4000 | 0o40000)  # IPC_NOWAIT, MSG_COPY
    return buffer.raw[8:8 + size].decode()


seen = {"segment": attempt(segment), "queue": attempt(queue)}
for name, (signature, proof) in seen.items():
    if signature == "reached":
        end("reached", proof, what=name)
end(seen["segment"][0], None, queue=seen["queue"][0])
