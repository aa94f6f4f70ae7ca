"""Many runs in a row leave no growth: processes, cgroups, mounts, files, descriptors, memory."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import host
from harness import NATIVE, VM, test

# The short form runs always; PYBOX_TEST_RUNS=500 is what the promise is about (docs/hacking.md).
RUNS = int(os.environ.get("PYBOX_TEST_RUNS", "60"))


def slope(values):
    """Growth for each step of a series, by least squares over its second half: start-up is not growth."""
    tail = values[len(values) // 2 :]
    middle = (len(tail) - 1) / 2
    spread = sum((i - middle) ** 2 for i in range(len(tail)))
    return sum((i - middle) * v for i, v in enumerate(tail)) / spread if spread else 0.0


def dying_cgroups():
    """Memory cgroups the kernel still holds; they go when memory is reclaimed."""
    for line in pathlib.Path("/proc/cgroups").read_text().splitlines():
        if line.startswith("memory"):
            return int(line.split()[2])
    return 0


def reclaim():
    """Lets the kernel drop what it only keeps as cache, so that what still grows is a leak."""
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
    except OSError:
        pass


def many_runs(t, count):
    """How long each run took, and a bare start of the test's own interpreter right after it."""
    walls = []
    for number in range(count):
        word = f"run {number}"
        began = time.monotonic()
        run = t.exec("--quiet", "-c", f"print('{word}')")
        ended = time.monotonic()
        subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)
        walls.append((ended - began, time.monotonic() - ended))
        if run.exit != 0 or run.text != word + "\n" or run.get("cleanup.status") != "REMOVED":
            t.check(word, False, f"exit {run.exit}, {run.text!r}, {run.errors[-200:]!r}")
            break
    t.equal("runs made", len(walls), count)
    return walls


@test("many runs in a row leave nothing behind", engines=NATIVE, serial=True, timeout_s=900, labels=("growth",))
def native_growth(t):
    programs = host.Programs(t.setting, t.setting.home)
    t.ended(t.exec("-c", "print(1)"), 0)
    reclaim()
    before, dying = host.View(programs), dying_cgroups()
    walls = many_runs(t, RUNS)
    left = host.settle(programs, before, 2.0)
    t.check("nothing is left", not left, "; ".join(left)[:600])
    reclaim()
    t.until("memory cgroups after reclaim", lambda: dying_cgroups() - dying <= 8, 5.0)
    quarter = max(1, len(walls) // 4)
    (first, bare_first), (last, bare_last) = ([statistics.median(side) for side in zip(*part)]
                                              for part in (walls[:quarter], walls[-quarter:]))
    slower = max(1.0, bare_last / bare_first)  # the machine, by then
    t.check("runs do not get slower", last < (first * 1.5 + 0.02) * slower,
            f"{first:.4f} s then {last:.4f} s; a bare start {bare_first:.4f} s then {bare_last:.4f} s")


@test("many runs in a row leave nothing in the VM", engines=VM, timeout_s=1500, labels=("growth",))
def vm_growth(t):
    programs = host.Programs.of(t)
    t.ended(t.exec("-c", "print(1)"), 0)
    before = host.View(programs)
    told = json.loads(t.pybox("vm", "status", "--json").out)
    servers = [told["pid"], told["qemu_pid"]]
    started = {pid: (host.descriptors(pid), host.resident_kib(pid)) for pid in servers}
    guest = [guest_view(t)]
    for _ in range(4):
        many_runs(t, max(2, RUNS // 4))
        guest.append(guest_view(t))
    left = host.settle(programs, before, 2.0)
    t.check("nothing is left on the host", not left, "; ".join(left)[:600])
    for pid, (descriptors, _) in started.items():
        t.within(f"descriptors of {host.name_of(pid)}", host.descriptors(pid), 0, descriptors + 1)
    if t.check("the guest tells its counters", all(guest), str(guest[0])):
        for key in ("processes", "cgroups", "mounts", "boxd_fds"):
            t.within(f"{key} in the guest", guest[-1][key], 0, guest[1][key])
        growth = slope([g["boxd_rss_kib"] for g in guest]) / max(1, RUNS // 4)
        t.within("growth of boxd's memory in KiB a run", growth, -1000, 2)


def guest_view(t):
    """boxd's own counters, as `pybox vm status --json` hands them on."""
    status = t.pybox("vm", "status", "--json")
    return json.loads(status.out).get("guest") or {}
