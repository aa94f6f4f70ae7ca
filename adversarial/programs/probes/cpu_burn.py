# Burns processor time in four processes; with "daemons", in ones that have left the program's process group and
# session; with "deaf", in ones that ignore what can be ignored. Stops when they had well over the share in one
# second, else after some seconds.
import os
import signal
import time

seconds, share, daemons = ASK["args"]["seconds"], ASK["args"]["share"], ASK["args"].get("daemons", False)
until = time.monotonic() + seconds
if ASK["args"].get("deaf"):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
TICK = os.sysconf("SC_CLK_TCK")


def used():
    """Processor seconds of every process of the box that can be seen."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                total += int(fields[11]) + int(fields[12])
            except OSError:
                pass  # it has ended
    return total / TICK


for _ in range(4):
    if os.fork() == 0:
        if daemons:
            os.setsid()
            if os.fork() != 0:
                os._exit(0)
        while time.monotonic() < until:
            pass
        os._exit(0)
    if daemons:
        os.wait()
samples = []
while time.monotonic() < until:
    samples.append((time.monotonic(), used()))
    window = [(at, cpu) for at, cpu in samples if at >= samples[-1][0] - 1]
    passed = window[-1][0] - window[0][0]
    if passed > 0.7 and (window[-1][1] - window[0][1]) / passed > 1.6 * share:
        break
    time.sleep(0.1)
end("burnt", f"{samples[-1][1]:.2f} s")
