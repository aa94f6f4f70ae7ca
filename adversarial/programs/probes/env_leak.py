# Looks for what stood in the environment of PyBox.
import os

ALLOWED = {"HOME", "TMPDIR", "PATH", "LANG", "USER", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
           "MPLCONFIGDIR", "LC_CTYPE"}
with open("/proc/self/environ", "rb") as file:
    at_start = file.read().decode(errors="replace").split("\0")
found = [word for word in at_start if word.startswith(ASK["world"]["env"] + "=")]
other = sorted(set(os.environ) - ALLOWED)
if found or other:
    end("reached", found or other, other=other)
end("absent")
