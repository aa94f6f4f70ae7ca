# Fills the queue of signals up to twice its limit: with timers (each keeps one), or with signals that wait.
import ctypes
import os
import signal
import struct

most, how = 2 * ASK["args"]["limit"], ASK["args"]["how"]
SIGNAL = signal.SIGRTMIN
signal.pthread_sigmask(signal.SIG_BLOCK, [SIGNAL])


def timer():
    syscall(222, 1, 0, ctypes.create_string_buffer(4))  # timer_create


def queue():
    info = ctypes.create_string_buffer(struct.pack("=iii", SIGNAL, 0, -1), 128)  # SI_QUEUE
    syscall(129, os.getpid(), SIGNAL, info)  # rt_sigqueueinfo


def queued():
    with open("/proc/self/status") as status:
        return next(line.split()[1] for line in status if line.startswith("SigQ"))


def fill():
    for _ in range(most):
        timer() if how == "timers" else queue()


signature, _ = attempt(fill)
now = queued()
end(signature if signature != "reached" or int(now.split("/")[0]) >= most else "not counted", now)
