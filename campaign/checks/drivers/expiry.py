"""A boxd that stands still before it lets its program start: the box's keeper holds a timer of the kernel's that ends it
for good 120 s after it was made. Waiting for that would take two minutes; the kernel tells how long its timer still has.

removed: left out of the box, by boxd-campaign (`sup.timer`: no timer is set).
"""

import re
import signal
import time

import invariants
import link
import prelude
from prelude import ASK, end

EXPIRY_S = 120.0
LIMIT_S = 2.0
TRIES = 40
# From the making of the timer until it is read, on a busy host.
SLACK_S = 5.0


def timers_of(pid):
    """Seconds that each timer of a process still has; 0: not set. man 5 proc, fdinfo of a timerfd."""
    found = []
    for path in invariants.pathlib.Path(f"/proc/{pid}/fdinfo").glob("*"):
        told = re.search(rb"^it_value: \((\d+), (\d+)\)", invariants.read(path), re.M)
        if told:
            found.append(int(told.group(1)) + int(told.group(2)) / 1e9)
    return found


def keeper_of(boxd):
    return next((pid for pid in invariants.children_of(boxd.process.pid) if invariants.name_of(pid) == "keeper"
                 and timers_of(pid)), None)


def caught(home):
    """A boxd that was stopped between the making of its box and the go; None when the program was faster, as its
    python or the timer of its run shows."""
    boxd = link.Boxd(home, ASK["removed"])
    boxd.run("import time; time.sleep(9)", LIMIT_S)
    give_up = time.monotonic() + 10
    while (keeper := keeper_of(boxd)) is None:
        if time.monotonic() > give_up or boxd.process.poll() is not None:
            end("no-box", said=str(boxd.failure()))
    prelude.kill(boxd.process.pid, signal.SIGSTOP)
    time.sleep(0.2)
    if 0 < max(timers_of(keeper), default=0) <= LIMIT_S + 1 or any(invariants.name_of(pid).startswith("python") for pid in invariants.children_of(keeper)):
        discard(boxd)
        return None
    return boxd, keeper


def discard(boxd):
    prelude.kill(boxd.process.pid, signal.SIGCONT)
    boxd.kill()
    boxd.hang_up()


def work():
    home = prelude.own_home()
    prelude.run("pass", home=home, engine="native")
    before = invariants.View(home)
    for _ in range(TRIES):
        stopped = caught(home)
        if stopped:
            break
    else:
        end("too-fast")
    boxd, keeper = stopped
    first = timers_of(keeper)
    time.sleep(1)
    later = timers_of(keeper)
    discard(boxd)
    left = invariants.settle(lambda: invariants.no_process(before), 10)
    numbers = {"seconds_left": [round(value, 2) for value in first + later]}
    if left:
        end("left", left[0], found=left, **numbers)
    if not any(first):
        end("reached", "no timer is set", **numbers)
    runs = max(first) - max(later)
    right = EXPIRY_S - SLACK_S <= max(first) <= EXPIRY_S and 0.5 <= runs <= 4
    end("expires" if right else "reached", f"{max(first):.2f} s, a second later {max(later):.2f} s", **numbers)


prelude.main(work, isolated=True)
