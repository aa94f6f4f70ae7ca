# Says what it is and goes on far past its limit, deaf to every signal that can be ignored.
import signal
import time

for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
time.sleep(ASK["args"]["seconds"])
end("slept", ASK["args"]["seconds"])
