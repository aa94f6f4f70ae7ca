# Turns address randomisation off for what it executes, and compares where two children's code lies.
import os
import subprocess
import sys

ADDR_NO_RANDOMIZE = 0x0040000
WHERE = "print([line.split('-')[0] for line in open('/proc/self/maps') if 'stack' in line or 'libc' in line][:1])"


def turn_off():
    syscall(135, ADDR_NO_RANDOMIZE)
    places = {subprocess.run([sys.executable, "-I", "-c", WHERE], capture_output=True, text=True).stdout
              for _ in range(3)}
    return sorted(places)


signature, proof = attempt(turn_off)
end(signature if proof is None or len(proof) == 1 else "still random", proof)
