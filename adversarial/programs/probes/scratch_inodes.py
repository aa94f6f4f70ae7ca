# Makes empty files, up to twice as many as the scratch space has room for, where they are brought back from.
import os

most = 2 * ASK["args"]["limit"]
made = 0


def fill():
    global made
    while made < most:
        os.close(os.open(f"/tmp/output/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1


signature, _ = attempt(fill)
end(signature, f"{made} files")
