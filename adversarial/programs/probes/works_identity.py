# What every program may do with processes, threads, users' names and its own limits.
import multiprocessing
import os
import resource
import signal
import threading

resource.setrlimit(resource.RLIMIT_NOFILE, (100, 1024))
os.nice(1)
os.setuid(os.getuid())
seen = []
threads = [threading.Thread(target=seen.append, args=[i]) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if (child := os.fork()) == 0:
    signal.pause()
os.kill(child, signal.SIGTERM)
ended = os.WTERMSIG(os.waitpid(child, 0)[1])
with multiprocessing.get_context("fork").Pool(2) as pool:
    squares = pool.map(abs, [-1, 2])
end("works" if len(seen) == 8 and ended == signal.SIGTERM and squares == [1, 2] else "not all", [len(seen), ended, squares])
