# Stops itself and every process it has, deaf to every signal that can be ignored; one that left for a session of its
# own would wake them far past the limit.
import os
import signal
import time

for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
program = os.getpid()
if os.fork() == 0:
    os.setsid()
    time.sleep(ASK["args"]["seconds"])
    os.killpg(program, signal.SIGCONT)
    os._exit(0)
if os.fork() == 0:
    time.sleep(ASK["args"]["seconds"])
    os._exit(0)
os.killpg(0, signal.SIGSTOP)
end("awake", ASK["args"]["seconds"])
