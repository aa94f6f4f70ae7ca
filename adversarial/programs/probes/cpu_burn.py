# Burns processor time in several processes for some seconds; with "daemons", in ones that have left the
# program's process group and session.
import os
import time

seconds, daemons = ASK["args"]["seconds"], ASK["args"].get("daemons", False)
until = time.monotonic() + seconds
for _ in range(4):
    if os.fork() == 0:
        if daemons:
            os.setsid()
            if os.fork() != 0:
                os._exit(0)
        while time.monotonic() < until:
            pass
        os._exit(0)
time.sleep(seconds)
end("burnt", f"{seconds} s")
