# Leaves children without a parent, which then end; waits; ends. Whoever adopts them has to collect them.
import os
import time

for _ in range(ASK["args"]["count"]):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.3)
        os._exit(0)
    os.wait()
time.sleep(2.5)
end("done", ASK["args"]["count"])
