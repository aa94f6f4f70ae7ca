"""What the host shows of PyBox's work from outside: processes, cgroups, mounts, descriptors, files.

Only tests marked `serial` or `apart` may compare two views, since others' boxes would show in them.
"""

import os
import pathlib
import re
import time

from harness import Pulse


def stat_fields(pid):
    """Fields of /proc/PID/stat after the name, or None: [state, parent, …]."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text[text.rindex(")") + 2 :].split()


def all_pids():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def is_alive(pid):
    fields = stat_fields(pid)
    return fields is not None and fields[0] not in "ZX"


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def command_line(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def children_of(root):
    """Every living descendant of a process, the nearest first."""
    parents = {pid: int(fields[1]) for pid in all_pids() if (fields := stat_fields(pid))}
    found, frontier = [], [root]
    while frontier:
        frontier = [pid for pid, parent in parents.items() if parent in frontier]
        found += frontier
    return found


def _identity(path):
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


# boxd names a box's cgroup after its own pid namespace: PyBoxes of other namespaces are not ours.
BOX_CGROUP = re.compile(rf"pybox-{os.stat('/proc/self/ns/pid').st_ino}-[^/]*$", re.M)


def is_boxed(pid):
    """The program in a box, or one that it started; not the keeper's helpers outside."""
    try:
        return bool(BOX_CGROUP.search(pathlib.Path(f"/proc/{pid}/cgroup").read_text()))
    except OSError:
        return False


class Programs:
    """Which processes are PyBox's: they run the tested build's programs, live in a box's cgroup, or are
    a QEMU that was given the home's files. With a mark (a variable's NAME=VALUE) only the first kind, and of those
    the ones that were started with it: the boxes of the vm engine are not on the host."""

    def __init__(self, setting, home, mark=None):
        self.home, self.mark = str(home), mark
        self.identities = {_identity(p) for p in setting.pybox.parent.iterdir()} - {None}

    @staticmethod
    def of(t):
        """Those of a test that is `apart` natively; on the vm engine other tests run natively beside it."""
        mark = None
        if t.engine == "vm":
            t.extra_env["PYBOX_TEST_MARK"] = t.nonce()
            mark = f"PYBOX_TEST_MARK={t.extra_env['PYBOX_TEST_MARK']}"
        return Programs(t.setting, t.home or t.setting.home, mark)

    def running(self):
        """{(pid, start time): command line}, zombies left out."""
        found = {}
        for pid in all_pids():
            fields = stat_fields(pid)
            if fields is None or fields[0] in "ZX":
                continue
            line = command_line(pid)
            if self.is_ours(pid, line):
                found[pid, fields[19]] = f"{name_of(pid)}: {line}"[:160]
        return found

    def is_ours(self, pid, line):
        known = _identity(f"/proc/{pid}/exe") in self.identities
        if self.mark:
            return known and has_variable(pid, self.mark)
        return known or is_boxed(pid) or ("qemu" in line and self.home in line)


def has_variable(pid, text):
    """Whether a process was started with the variable NAME=VALUE."""
    try:
        return text.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def cgroups():
    """The folders of boxes, on every hierarchy."""
    return {folder for folder, _, _ in os.walk("/sys/fs/cgroup")
            if BOX_CGROUP.match(os.path.basename(folder))}


def mounts():
    """What is mounted where; the ids change, so they are left out."""
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return {" ".join(line.split()[3:5] + line.split(" - ")[-1].split()[:2]) for line in lines}


def files_below(folder, but):
    """Everything below a folder; what is named in `but` and lies directly in it is left out unread."""
    found = set()
    for place, folders, files in os.walk(folder):
        if place == folder:
            folders[:] = [name for name in folders if name not in but]
        found |= {f"{place}/{name}" for name in (*folders, *files)}
    return found


def _listed(folder):
    try:
        return {f"{folder}/{name}" for name in os.listdir(folder)}
    except OSError:
        return set()


class View:
    """The host at one moment."""

    # What a run leaves on purpose: its kept receipt, the folder that is every box's empty one, and that an image
    # was checked (one small file an image). And what no run writes to: the images, of tens of thousands of files;
    # a look that takes a second of a busy machine shows what was, not what is.
    KEPT = ("receipts", "empty", "cache", "images")

    def __init__(self, programs):
        home = programs.home
        self.things = {f"process {pid} {line}" for (pid, _), line in programs.running().items()}
        if not programs.mark:
            self.things |= {f"cgroup {c}" for c in cgroups()}
            self.things |= {f"mount {m}" for m in mounts()}
        self.things |= {f"file {f}" for f in files_below(home, self.KEPT)}
        self.things |= {f"file {f}" for f in _listed("/tmp") | _listed("/dev/shm") if "pybox" in f
                        and not f.startswith(("/tmp/pybox-test-", "/tmp/pybox-guest-"))}

    def since(self, before):
        return sorted(self.things - before.things)


# No wait is longer; a box that is still there then stays.
NEVER_S = 30


def settle(programs, before, patience_s, but=()):
    """Waits until nothing new is left since `before`; returns what a look begun after patience_s still shows.
    `but`: kinds of things ("cgroup", …) that may stay."""
    end = time.monotonic() + patience_s
    while True:
        is_last = time.monotonic() > end
        news = [thing for thing in View(programs).since(before) if not thing.startswith(tuple(but))]
        if not news or is_last:
            return news
        time.sleep(0.05)


def check_gone(t, what, programs, before, limit_s, began=None, but=()):
    """Checks that nothing new is left limit_s seconds after `began` (default: now), or as much later as the machine
    was late meanwhile."""
    began = began or time.monotonic()
    with Pulse() as pulse:
        while True:
            took = time.monotonic() - began
            news = settle(programs, before, 0, but)
            if not news or took > limit_s + NEVER_S:
                break
            time.sleep(0.02)
    t.check(what, not news, "; ".join(news)[:600])
    t.soon(f"{what}: after so many seconds", took, limit_s, pulse)


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"^VmRSS:\s+(\d+)", text, re.M)
    return int(found.group(1)) if found else 0
