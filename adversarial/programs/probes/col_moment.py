# Leaves a process behind that makes file after file one byte longer, round after round: were it alive while its files
# are read, they would be of different rounds. It rests longer than it works, for a box that is held back for its use
# of the processor stands still, and is well on its way when the program ends.
import os
import time

FILES = 64
os.chdir("/tmp/output")
files = [os.open(f"f{i:02}", os.O_CREAT | os.O_WRONLY) for i in range(FILES)]
size = 100_000
for file in files:
    os.ftruncate(file, size)
begun, begins = os.pipe()
if os.fork() == 0:
    os.setsid()
    while size < 110_000:
        size += 1
        start = time.thread_time()
        for file in files:
            os.ftruncate(file, size)
        os.write(begins, b"!")  # 10,000 of them fit into a pipe
        time.sleep(1.5 * (time.thread_time() - start))
    os._exit(0)
os.read(begun, 1)
time.sleep(0.3)
end("left")
