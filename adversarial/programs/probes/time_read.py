# Asks how the system's clock is being steered (adjtimex that changes nothing): the call that also sets it.
import ctypes


def state():
    timex = ctypes.create_string_buffer(208)
    result = syscall(159, timex)
    seconds = int.from_bytes(timex.raw[72:80], "little")
    return {"state": result, "seconds": seconds}


signature, proof = attempt(state)
if signature == "reached":
    import time
    signature = "reached" if abs(proof["seconds"] - time.time()) < 5 else "another clock"
end(signature, proof)
