"""Ends one process of a run with SIGKILL, and looks at what the box timer, the kernel and the next start make of it.

args["what"]: "boxd-and-client" (nobody but the keeper is left), "timer" (the program signals the keeper first), or
one of "client", "boxd", "keeper", "program" (a run of pybox exec).
removed: left out of the box, by boxd-campaign. Without a cut the control arm stops (SIGSTOP) what it should kill, so
that something is left: an observation that misses it proves nothing.
"""

import os
import signal
import time

import invariants
import link
import prelude
from prelude import ASK, end, is_control

LIMIT_S = 1.0
# The keeper's timer fires at limit + 1 s; a busy host takes a while to tear a box down.
GONE_S = LIMIT_S + 1.0 + 1.5
SLEEP = "import time; print('up', flush=True); time.sleep(12)\n"
SIGNALS = """import os, signal
for number in list(range(1, 65)):
    if number in (17, 19, 32, 33): continue
    for pid in (1, -1):
        if pid == -1 and number == 9: continue
        if pid == -1: signal.signal(number, signal.SIG_IGN) if number not in (9, 19) else None
        try: os.kill(pid, number)
        except (OSError, ValueError): pass
try: os.kill(1, signal.SIGSTOP)
except OSError: pass
""" + SLEEP


def orphaned_box(home, before, code):
    """boxd and its client are killed while the program runs; the keeper alone is left to end it."""
    boxd = link.Boxd(home, ASK["removed"])
    boxd.run(code, LIMIT_S)
    if boxd.wait_for(link.OUTPUT) is None:
        end("no-start", said=str(boxd.failure()))
    up = time.monotonic()
    boxd.kill()
    boxd.hang_up()
    alive = invariants.no_process(before)
    if not any("python" in what or "keeper" in what for what in alive):
        end("not-running", found=alive)
    left = invariants.settle(lambda: invariants.no_process(before), max(0, up + GONE_S - time.monotonic()))
    left = [what for what in left if what.startswith("process")]
    lived = time.monotonic() - up
    if left:
        end("reached", left[0], found=left, seconds=round(lived, 2))
    if lived < LIMIT_S:
        end("early", seconds=round(lived, 2))
    left = invariants.starts_again(home, engine="native")
    left += invariants.settle(lambda: invariants.nothing_left(before, home), 3)
    end("reached" if left else "gone", left[0] if left else None, found=left, seconds=round(lived, 2))


def victim_of(client, what):
    family = [client.pid, *invariants.children_of(client.pid)]
    by_name = {"client": lambda pid: pid == client.pid, "boxd": lambda pid: invariants.name_of(pid) == "boxd",
               "keeper": lambda pid: invariants.name_of(pid) == "keeper",
               "program": lambda pid: invariants.name_of(pid).startswith("python")}
    return next((pid for pid in family if by_name[what](pid)), None)


def one_of_a_run(home, before, what):
    client = prelude.start("exec", "--engine", "native", "--timeout", LIMIT_S, "-c", SLEEP, home=home)
    began = time.monotonic()
    if client.stdout.read(3) != b"up\n":
        end("no-start", said=client.stderr.read().decode("utf-8", "replace")[-300:])
    victim = victim_of(client, what)
    if victim is None:
        end("no-victim")
    if is_control():
        prelude.kill(victim, signal.SIGSTOP)
        kept = prelude.subprocess.Popen(["sleep", "30"])  # nothing else ends late when a box's process is stopped
        left = invariants.settle(lambda: invariants.no_process(before), GONE_S)
        prelude.kill(victim)
        kept.kill()
        kept.wait()
        client.communicate(timeout=30)
        end("reached" if left else "unnoticed", left[0] if left else None, found=left)
    prelude.kill(victim)
    done = prelude.finish(client, began, 40)
    wrong = invariants.answered([done], GONE_S + 5)
    wrong += invariants.settle(lambda: invariants.no_process(before), GONE_S)
    if what != "client" and done.exit not in (124, 125, 137):
        wrong.append(f"the client's exit code is {done.exit}: {done.said()[-200:]}")
    wrong += invariants.starts_again(home, engine="native")
    wrong += invariants.receipts_whole(home)
    wrong += invariants.settle(lambda: invariants.nothing_left(before, home), 3)
    end("reached" if wrong else "gone", wrong[0] if wrong else None, found=wrong[:20], exit=done.exit)


def work():
    home = prelude.own_home()
    prelude.run("pass", home=home, engine="native")  # the key and the folders are made
    before = invariants.View(home)
    what = ASK["args"]["what"]
    if what == "boxd-and-client":
        orphaned_box(home, before, SLEEP)
    if what == "timer":
        orphaned_box(home, before, SIGNALS)
    one_of_a_run(home, before, what)


prelude.main(work, isolated=True)
