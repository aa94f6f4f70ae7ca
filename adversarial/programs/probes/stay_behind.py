# Leaves processes behind that the program's end must not leave running: daemons that have left session and
# group and closed everything, or a chain of processes each of which starts the next and ends. All of them end
# by themselves after some seconds.
import os
import signal
import time

until = time.monotonic() + ASK["args"]["seconds"]
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)


def daemon():
    while time.monotonic() < until:
        time.sleep(0.05)


def chain():
    while time.monotonic() < until:
        try:
            if os.fork() != 0:
                os._exit(0)
        except OSError:
            time.sleep(0.001)


for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 100)
            daemon() if ASK["args"]["how"] == "daemons" else chain()
        os._exit(0)
time.sleep(0.3)
end("left behind", ASK["args"]["how"])
