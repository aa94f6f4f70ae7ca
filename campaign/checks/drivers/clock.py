"""The clock of a guest jumps by hours while a program runs in it: deadlines, the box timer, the expiry and every
duration of the receipt must not notice. The guest is a throwaway one; campaign-clock, its first process, carries the
released boxd, becomes it, and turns the clock when a program asks by its name.

The control arm carries boxd-wallclock instead, the same boxd built to judge time by the clock on the wall: without a
jump its runs must pass as right, and with one each must be found wrong.
"""

import json
import pathlib
import shutil
import struct
import time

import invariants
import prelude
from prelude import ASK, end, is_control, scratch

START_S = 240
LIMIT_S = 4
# Past limits: the kill and the clean-up of an emulated guest on a busy host.
LATE_S = 4.0
HOURS = 3 * 3600
JUMP = """import sys, time
wall, steady = time.time(), time.monotonic()
moved = lambda: (time.time() - wall) - (time.monotonic() - steady)
print('up', flush=True)
if {seconds}:
    with open('/proc/self/comm', 'w') as name: name.write('jump{seconds:+d}')
    while abs(moved()) < 1000 and time.monotonic() - steady < 3: time.sleep(0.02)
    print('moved', round(moved()), flush=True)
"""
SLEEPS = JUMP + "time.sleep(60)\n"
ENDS = JUMP + "time.sleep(0.7)\nsys.exit(7)\n"


def carrying(carrier, boxd):
    """The carrier's program with a boxd behind it, in a segment that no loader looks at (campaign/clock)."""
    program, load = bytearray(carrier.read_bytes()), boxd.read_bytes()
    table, size, count = (struct.unpack_from("<Q", program, 32)[0], *struct.unpack_from("<HH", program, 54))
    notes = [table + size * number for number in range(count)
             if struct.unpack_from("<I", program, table + size * number)[0] == 4]
    if not notes:
        end("no-carrier", said="the program has no note to give up")
    struct.pack_into("<IIQQQQQQ", program, notes[0], 0, 0, len(program), 0, 0, len(load), 0, 1)
    return bytes(program) + load


def place():
    """pybox with the carrier in boxd's place."""
    carrier, wrong = prelude.program("campaign-clock"), prelude.program("boxd-wallclock")
    if carrier is None or wrong is None:
        prelude.unmet("campaign-clock was not built")
    folder = scratch() / "bin"
    folder.mkdir()
    shutil.copy(ASK["pybox"], folder / "pybox")
    carried = wrong if is_control() else pathlib.Path(ASK["boxd"])
    (folder / "boxd").write_bytes(carrying(carrier, carried))
    (folder / "boxd").chmod(0o755)
    return folder / "pybox"


class Guest:
    def __init__(self, pybox, home):
        self.pybox, self.home, self.jumps = pybox, home, 0
        started = prelude.pybox("vm", "start", binary=pybox, home=home, patience_s=START_S)
        if started.exit != 0:
            log = prelude.pybox("vm", "logs", binary=pybox, home=home).out.decode("utf-8", "replace")
            end("no-vm", said=started.said()[-500:], log=log[-800:])

    def must_have_jumped(self, seconds):
        """The clock was turned: the guest says so on its console."""
        self.jumps += 1
        said = lambda: prelude.pybox("vm", "logs", binary=self.pybox, home=self.home).out.decode("utf-8", "replace")
        if not prelude.wait_until(lambda: said().count("pybox-clock jumped") >= self.jumps, 5, every_s=0.3):
            end("no-jump", said=said()[-300:], wanted=seconds)

    def stop(self):
        prelude.pybox("vm", "stop", binary=self.pybox, home=self.home)


def durations(receipt, most_s):
    """Every duration of a receipt that cannot be, by the host's own steady clock."""
    wrong = []
    for name, millis in receipt["timing"].items():
        if millis is not None and not 0 <= millis <= most_s * 1000 + 1:
            wrong.append(f"{name} took {millis} ms of {most_s:.1f} s")
    times = [sample[0] for sample in receipt["kernel"]["series"]]
    if times != sorted(times) or any(not -0.001 <= at <= most_s for at in times):
        wrong.append(f"samples at {times[:3]} … {times[-3:]} s")
    wall = receipt["outcome"]["wall_s"]
    if wall is None or not 0 <= wall <= most_s:
        wrong.append(f"wall_s is {wall} of {most_s:.1f} s")
    return wrong


def stopped_at_its_limit(guest, seconds):
    began, stamp = time.monotonic(), time.time()
    done = prelude.run(SLEEPS.format(seconds=seconds), limit_s=LIMIT_S, binary=guest.pybox, home=guest.home, engine="vm")
    if seconds:
        guest.must_have_jumped(seconds)
    took, wrong = time.monotonic() - began, []
    if not done.receipt:
        return [f"no receipt: {done.said()[-200:]}"]
    outcome = done.receipt["outcome"]
    if done.exit != 124 or outcome["observation"] != "SUPERVISOR_KILL_OBSERVED":
        wrong.append(f"exit code {done.exit}, {outcome['observation']}")
    if not LIMIT_S - 0.01 <= (outcome["wall_s"] or 0) <= LIMIT_S + LATE_S:
        wrong.append(f"it ran for {outcome['wall_s']} s, its limit is {LIMIT_S}")
    made = done.receipt["created_at"]
    if not time.strftime("%Y-%m-%dT%H:%M", time.gmtime(stamp)) <= made[:16] <= time.strftime("%Y-%m-%dT%H:%M", time.gmtime()):
        wrong.append(f"created_at is {made}")
    return wrong + durations(done.receipt, took)


def ends_by_itself(guest, seconds):
    began = time.monotonic()
    done = prelude.run(ENDS.format(seconds=seconds), limit_s=20, binary=guest.pybox, home=guest.home, engine="vm")
    if seconds:
        guest.must_have_jumped(seconds)
    if not done.receipt:
        return [f"no receipt: {done.said()[-200:]}"]
    wrong = [] if done.exit == 7 else [f"exit code {done.exit}, {done.receipt['outcome']['observation']}"]
    return wrong + durations(done.receipt, time.monotonic() - began)


def box_timer(guest, seconds):
    """The client is killed: the box's own timer ends it, and the record says when."""
    known = set(invariants.receipts(guest.home))
    began = time.monotonic()
    client = prelude.start("exec", "--engine", "vm", "--timeout", LIMIT_S, "-c", SLEEPS.format(seconds=seconds),
                           binary=guest.pybox, home=guest.home)
    if client.stdout.read(3) != b"up\n":
        return [f"the program did not start: {client.stderr.read()[-200:]!r}"]
    client.kill()
    client.communicate()

    def record():
        prelude.pybox("receipts", binary=guest.pybox, home=guest.home)
        return [path for name, path in invariants.receipts(guest.home).items() if name not in known]

    # The timer is a second behind the limit; asking costs the guest little, and the host a process.
    if not prelude.wait_until(record, LIMIT_S + 1 + 3 * LATE_S, every_s=0.5):
        return ["no record of the box timer was kept"]
    guest.must_have_jumped(seconds)
    outcome = json.loads(record()[0].read_bytes())["outcome"]
    wrong = [] if outcome["observation"] == "BOX_TIMER_KILL_OBSERVED" else [f"{outcome['observation']}"]
    if not LIMIT_S + 0.99 <= (outcome["wall_s"] or 0) <= min(LIMIT_S + 1 + LATE_S, time.monotonic() - began):
        wrong.append(f"the timer fired after {outcome['wall_s']} s, it was set to {LIMIT_S + 1}")
    return wrong


def clock_is_right_again(guest):
    """Before a run that begins 5 s after the last setting the guest's clock is set to the host's."""
    before = time.time()
    done = prelude.run("import time; print(time.time())", binary=guest.pybox, home=guest.home, engine="vm")
    after = time.time()
    told = float(done.out or 0)
    return [] if before - 1 <= told <= after + 1 else [f"the guest's clock is {told - after:+.0f} s off in the next run"]


def protected(guest):
    wrong = []
    for name, look, seconds in (("forwards, limit", stopped_at_its_limit, HOURS), ("backwards, limit", stopped_at_its_limit, -HOURS),
                                ("forwards, own end", ends_by_itself, HOURS), ("backwards, box timer", box_timer, -HOURS)):
        wrong += [f"{name}: {what}" for what in look(guest, seconds)]
    return wrong + clock_is_right_again(guest)


def control(guest):
    still = ends_by_itself(guest, 0)
    if still:
        end("wrong-without-jump", still[0], found=still)
    found = {"forwards, own end": ends_by_itself(guest, HOURS), "backwards, limit": stopped_at_its_limit(guest, -HOURS)}
    missed = [name for name, what in found.items() if not what]
    said = [f"{name}: {what[0]}" for name, what in found.items() if what]
    end("unnoticed" if missed else "reached", said[0] if said else None, found=said, missed=missed)


def work():
    home = prelude.own_home()
    (home / "run").mkdir(mode=0o700)
    before = invariants.View(home)
    guest = Guest(place(), home)
    if is_control():
        control(guest)
    wrong = protected(guest)
    guest.stop()
    wrong += invariants.settle(lambda: invariants.nothing_left(before, home), 5)
    end("reached" if wrong else "right", wrong[0] if wrong else None, found=wrong[:20], jumps=guest.jumps,
        boxd=prelude.digest(pathlib.Path(ASK["boxd"]).read_bytes()))


prelude.main(work, isolated=True)
