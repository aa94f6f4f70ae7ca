# Leaves a process behind that makes file after file one byte longer, round after round, beginning when the program
# ends: were it alive while its files are read, they would be of different rounds. It rests longer than it works, and
# begins rested: a box that is held back for its use of the processor would stand still just then.
import os
import time

FILES = 64
os.chdir("/tmp/output")
files = [os.open(f"f{i:02}", os.O_CREAT | os.O_WRONLY) for i in range(FILES)]
size = 100_000
for file in files:
    os.ftruncate(file, size)
ended, held = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.close(held)
    os.read(ended, 1)
    while size < 110_000:
        size += 1
        begin = time.monotonic()
        for file in files:
            os.ftruncate(file, size)
        time.sleep(1.5 * (time.monotonic() - begin))
    os._exit(0)
time.sleep(0.3)
end("left")
