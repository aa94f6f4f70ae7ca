"""What the host shows of PyBox's work from outside: processes, cgroups, mounts, descriptors, files.

Only tests marked `serial` may compare two views, since others' boxes would show in them.
"""

import os
import pathlib
import re
import time


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
    a QEMU that was given the home's files."""

    def __init__(self, setting, home):
        self.home = str(home)
        self.identities = {_identity(p) for p in setting.pybox.parent.iterdir()} - {None}

    def running(self):
        """{(pid, start time): command line}, zombies left out."""
        found = {}
        for pid in all_pids():
            fields = stat_fields(pid)
            if fields is None or fields[0] in "ZX":
                continue
            line = command_line(pid)
            if (_identity(f"/proc/{pid}/exe") in self.identities or is_boxed(pid)
                    or ("qemu" in line and self.home in line)):
                found[pid, fields[19]] = f"{name_of(pid)}: {line}"[:160]
        return found


def cgroups():
    """The folders of boxes, on every hierarchy."""
    return {folder for folder, _, _ in os.walk("/sys/fs/cgroup")
            if BOX_CGROUP.match(os.path.basename(folder))}


def mounts():
    """What is mounted where; the ids change, so they are left out."""
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return {" ".join(line.split()[3:5] + line.split(" - ")[-1].split()[:2]) for line in lines}


def files_below(folder):
    return {str(p) for p in pathlib.Path(folder).rglob("*")}


def _listed(folder):
    try:
        return {f"{folder}/{name}" for name in os.listdir(folder)}
    except OSError:
        return set()


class View:
    """The host at one moment."""

    # What a run leaves on purpose: its kept receipt, the folder that is every box's empty one, and that an image
    # was checked (one small file an image).
    KEPT = ("receipts", "empty", "cache")

    def __init__(self, programs):
        home = programs.home
        kept = tuple(f"{home}/{name}" for name in self.KEPT)
        self.things = {f"process {pid} {line}" for (pid, _), line in programs.running().items()}
        self.things |= {f"cgroup {c}" for c in cgroups()}
        self.things |= {f"mount {m}" for m in mounts()}
        self.things |= {f"file {f}" for f in files_below(home) if not f.startswith(kept)}
        self.things |= {f"file {f}" for f in _listed("/tmp") | _listed("/dev/shm") if "pybox" in f
                        and "/pybox-test-" not in f}

    def since(self, before):
        return sorted(self.things - before.things)


def settle(programs, before, patience_s):
    """Waits until nothing new is left since `before`; returns what is still there after patience_s."""
    end = time.monotonic() + patience_s
    while True:
        news = View(programs).since(before)
        if not news or time.monotonic() > end:
            return news
        time.sleep(0.05)


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"^VmRSS:\s+(\d+)", text, re.M)
    return int(found.group(1)) if found else 0
