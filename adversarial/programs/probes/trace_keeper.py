# Takes hold of the box's first process, which owns its timer. Seizing neither stops nor changes it; the hold
# ends with this program.
PTRACE, SEIZE, KEEPER = 101, 0x4206, 1


def tracer():
    syscall(PTRACE, SEIZE, KEEPER, 0, 0)
    with open("/proc/1/status") as status:
        return next(line.strip() for line in status if line.startswith("TracerPid"))


signature, proof = attempt(tracer)
end("not held" if proof == "TracerPid:\t0" else signature, proof)
