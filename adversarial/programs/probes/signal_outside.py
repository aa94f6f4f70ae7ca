# Sends a signal that does nothing (SIGCONT) to a process outside the box: whether the kernel takes it is the
# question.
import os
import signal


def reach():
    os.kill(ASK["world"]["process"], signal.SIGCONT)
    return f"the kernel delivered SIGCONT to process {ASK['world']['process']}"


if "process" not in ASK["world"]:
    end("not-planted")
signature, proof = attempt(reach)
end(signature, proof)
