"""What must be true after any crash and the next start: eight invariants, as observations that change nothing.

Each function returns what it found wrong, in words; an empty list means that the invariant holds. The module
counts on a pid namespace of its own (prelude.main(isolated=True)): every process in it is the driver's.

  I1 no process of a dead box                       I5 no report claims more arms than its events record
  I2 no mount, cgroup, socket, file or QEMU left    I6 starting again works, twice
  I3 every receipt on disk is whole and verifies    I7 no secret in what is left on disk
  I4 the chain of events holds, a torn tail aside   I8 every client got its answer in time
"""

import base64
import json
import os
import pathlib
import re
import time

import prelude

_OWN = {os.getpid(), os.getppid(), 1}


def pids():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return b""


def stat_fields(pid):
    text = read(f"/proc/{pid}/stat").decode("utf-8", "replace")
    return text[text.rindex(")") + 2:].split() if ")" in text else None


def is_alive(pid):
    fields = stat_fields(pid)
    return fields is not None and fields[0] not in "ZX"


def name_of(pid):
    return read(f"/proc/{pid}/comm").decode("utf-8", "replace").strip()


def command_of(pid):
    return read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode("utf-8", "replace").strip()


def children_of(root):
    """Every living descendant, the nearest first."""
    parents = {pid: int(fields[1]) for pid in pids() if (fields := stat_fields(pid))}
    found, frontier = [], [root]
    while frontier:
        frontier = [pid for pid, parent in parents.items() if parent in frontier]
        found += frontier
    return found


def cgroups():
    """Folders of boxes of this pid namespace, on every hierarchy."""
    mine = re.compile(rf"pybox-{os.stat('/proc/self/ns/pid').st_ino}-")
    return {folder for folder, _, _ in os.walk("/sys/fs/cgroup") if mine.match(os.path.basename(folder))}


def members(cgroup):
    return read(f"{cgroup}/cgroup.procs").decode().split()


def processes():
    """{pid: what it is} of everything alive but the driver, its parents and what it still waits for."""
    return {pid: f"{name_of(pid)}: {command_of(pid)}"[:120] for pid in pids()
            if pid not in _OWN and is_alive(pid)}


def mounts():
    """What is mounted where; ids change and are left out."""
    lines = read("/proc/self/mountinfo").decode("utf-8", "replace").splitlines()
    return {" ".join(line.split()[3:5] + line.split(" - ")[-1].split()[:2]) for line in lines}


def sockets(home):
    lines = read("/proc/net/unix").decode("utf-8", "replace").splitlines()[1:]
    return {line.split()[7] for line in lines if len(line.split()) > 7 and line.split()[7].startswith(str(home))}


def loops(home):
    return {str(path) for path in pathlib.Path("/sys/block").glob("loop*/loop/backing_file")
            if read(path).decode("utf-8", "replace").startswith(str(home))}


# What runs leave on purpose: kept receipts, keys, what an image was checked with, the VM's own files.
_KEPT = ("receipts", "keys", "cache", "images", "vm", "empty")


def files(home):
    home = pathlib.Path(home)
    found = {str(path) for path in home.rglob("*") if path.relative_to(home).parts[0] not in _KEPT}
    # Of the kept folders: what was only on its way (temporary names begin with a dot).
    found |= {str(path) for folder in ("receipts", "keys", "empty") for path in (home / folder).rglob("*")
              if path.name.startswith(".") or folder == "empty"}
    # Where something that is needed stands in /tmp it is not this driver's own, and others work there.
    own = ("/tmp", "/dev/shm") if prelude.OWN_TMP else ("/dev/shm",)
    return found | {f"{folder}/{name}" for folder in own for name in os.listdir(folder)}


class View:
    """The host at one moment, as far as PyBox could leave something there."""

    def __init__(self, home):
        self.things = {f"mount {name}" for name in mounts()}
        self.things |= {f"cgroup {name}" for name in cgroups()}
        self.things |= {f"socket {name}" for name in sockets(home)}
        self.things |= {f"loop device {name}" for name in loops(home)}
        self.things |= {f"file {name}" for name in files(home)}
        self.things |= {f"process {pid} {what}" for pid, what in processes().items() if "qemu" in what}
        self.processes = processes()


def no_process(before):
    """I1"""
    new = {pid: what for pid, what in processes().items() if pid not in before.processes}
    busy = [f"{folder} is populated by {' '.join(members(folder))}" for folder in cgroups() if members(folder)]
    return [f"process {pid} {what}" for pid, what in new.items()] + busy


def nothing_left(before, home):
    """I2"""
    return sorted(View(home).things - before.things)


def receipts(home):
    """{id: path} of what is kept."""
    return {path.stem: path for path in pathlib.Path(home, "receipts").glob("*.json")}


def receipts_whole(home, acknowledged=()):
    """I3. `acknowledged`: receipts that a client was handed, as it got them."""
    wrong = []
    kept = receipts(home)
    for name, path in kept.items():
        try:
            if json.loads(path.read_bytes())["receipt_id"] != name:
                wrong.append(f"{path.name} holds another receipt")
        except (ValueError, KeyError, OSError) as fault:
            wrong.append(f"{path.name} cannot be read: {fault}")
            continue
        verified = prelude.pybox("verify", path, home=home)
        if verified.exit != 0:
            wrong.append(f"{path.name} does not verify: {verified.said()[:200]}")
    for receipt in acknowledged:
        name = receipt.get("receipt_id")
        if name not in kept:
            wrong.append(f"{name} was handed out and is not kept")
        elif json.loads(kept[name].read_bytes()) != receipt:
            wrong.append(f"{name} was handed out and kept differently")
    return wrong


def chain_holds(folder):
    """I4: events.jsonl of an evidence folder. A last line without its newline is a torn tail: left out, not
    wrong; anything else is."""
    raw = read(pathlib.Path(folder, "events.jsonl"))
    lines = raw.split(b"\n")
    if lines and lines[-1] != b"":
        lines[-1] = b""
    wrong, previous = [], "0" * 64
    for number, line in enumerate(lines[:-1]):
        try:
            event = json.loads(line)
        except ValueError:
            wrong.append(f"line {number} is no JSON")
            break
        if event.get("seq") != number:
            wrong.append(f"line {number} has the number {event.get('seq')}")
        if event.get("prev") != previous:
            wrong.append(f"line {number} does not follow the one before it")
        previous = prelude.digest(line)
    return wrong if len(lines) > 1 else ["there are no events"]


def claims_no_more(folder):
    """I5: every attempt of campaign.json was recorded as ended."""
    recorded = set()
    for line in read(pathlib.Path(folder, "events.jsonl")).splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("event") == "arm-ended":
            recorded.add((event["check"], event["engine"], event["arm"], event["nonce"]))
    report = json.loads(read(pathlib.Path(folder, "campaign.json")) or b"{}")
    return [f"{check['id']}@{check['engine']} {arm['arm']}: attempt {attempt.get('attempt')} was never recorded"
            for check in report.get("checks", []) for arm in check.get("arms", []) for attempt in arm["attempts"]
            if (check["id"], check["engine"], arm["arm"], attempt.get("nonce")) not in recorded]


def starts_again(home, binary=None, times=2, **options):
    """I6"""
    wrong = []
    for number in range(times):
        word = prelude.secrets.token_hex(8)
        done = prelude.run(f"print({word!r})", home=home, binary=binary, **options)
        receipt = done.receipt or {}
        if done.exit != 0 or word.encode() not in done.out:
            wrong.append(f"start {number + 1}: exit code {done.exit}: {done.said()[-300:]}")
        elif receipt.get("cleanup", {}).get("status") != "REMOVED":
            wrong.append(f"start {number + 1}: cleanup {receipt.get('cleanup')}")
    return wrong


def no_secret(home, secret, since):
    """I7: of every file written since `since` (seconds of the epoch), in plain and in base64."""
    forms = {secret.encode(), base64.b64encode(secret.encode()).rstrip(b"=")[:-2]}
    wrong = []
    places = [path for path in pathlib.Path(home).rglob("*") if path.is_file() and not path.is_symlink()]
    places += [path for path in pathlib.Path("/dev/shm").rglob("*") if path.is_file()]
    for path in places:
        try:
            if path.stat().st_mtime >= since - 1 and any(form in read(path) for form in forms):
                wrong.append(f"{path} holds the secret")
        except OSError:
            continue
    return wrong


def answered(runs, most_s):
    """I8"""
    return [f"no end after {run.wall_s:.1f} s (at most {most_s} s)" for run in runs if run.late or run.wall_s > most_s]


def settle(find, patience_s):
    """Asks until nothing is found or the patience is over; returns what is still found."""
    give_up = time.monotonic() + patience_s
    while (found := find()) and time.monotonic() < give_up:
        time.sleep(0.05)
    return found
