# Tries to start more processes than the box may hold, and counts. Every one of them ends by itself.
import os

ready, done = os.pipe()
started, refused = [], []
for _ in range(ASK["args"]["processes"]):
    try:
        child = os.fork()
    except OSError as error:
        refused.append(name_of(error.errno))
        continue
    if child == 0:
        os.close(done)
        os.read(ready, 1)  # until the parent closes its end
        os._exit(0)
    started.append(child)
os.close(done)
for child in started:
    os.waitpid(child, 0)
end(refused[0] if refused else "reached", f"{len(started)} started, {len(refused)} refused",
    started=len(started), refused=len(refused))
