# Opens descriptors up to twice the limit, after raising its own limit as far as it may.
import os
import resource

most = 2 * ASK["args"]["limit"]
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
held = []


def fill():
    while len(held) < most:
        held.append(os.open("/dev/null", os.O_RDONLY))


signature, _ = attempt(fill)
for fd in held[-10:]:
    os.close(fd)  # room for the count below
end(signature, f"{len(os.listdir('/proc/self/fd')) + 9} open")
