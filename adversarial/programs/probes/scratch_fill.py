# Fills the scratch space past its size: one file in 1 MiB steps, up to one and a half times the limit (twice
# would meet the memory limit first, which is not what is asked here).
import os

MIB = 1 << 20
most = ASK["args"]["limit_mib"] * 3 // 2
written = 0


def fill():
    global written
    with open(ASK["args"]["path"], "wb", buffering=0) as out:
        while written < most * MIB:
            written += out.write(b"\xff" * MIB)


signature, _ = attempt(fill)
end(signature, f"{written} bytes", size=os.stat(ASK["args"]["path"]).st_blocks * 512)
