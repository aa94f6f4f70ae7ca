# A child takes half as much again as the limit and then only waits: what it does not touch could be swapped out.
import os

mib = ASK["args"]["limit_mib"] * 3 // 2
ready = os.pipe()
child = os.fork()
if child == 0:
    held = [b"\xff" * (1 << 20) for _ in range(mib)]
    os.write(ready[1], b".")
    os._exit(len(held) != mib)
os.close(ready[1])
whole = os.read(ready[0], 1) == b"."
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
end("reached" if whole and status == 0 else "killed" if status == -9 else f"status {status}", f"{mib} MiB")
