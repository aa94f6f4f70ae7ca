"""Dies at every crash point of the native engine, starts again, and looks at the invariants.

Needs the test build (bin/crash, base/crashpoint.hpp). Each case has a home of its own; cases run side by side,
since most of their time is waiting for timers. Every listed point must have struck, or the check fails.

args: {"only": [points]}, {"load": "idle" | "busy"}, {"roles": ["client", "boxd"]}.
The control arm leaves the next start out, which is what sweeps: what the crashes left must then be noticed.
"""

import concurrent.futures
import itertools
import json
import pathlib
import shutil
import time

import invariants
import prelude
from prelude import ASK, end, is_control, scratch

LIMIT_S = 0.6
BATCH = 10
# Beyond limit + 1 s, the keeper's timer: a busy host is late, and ten cases share its cores.
SLACK_S = 8.0
ANSWER_S = 30.0

IDLE = "import sys; open('/tmp/output/a','w').write('a'*5000); open('/tmp/output/b','w').write('b'); print('up', flush=True)\n"
BUSY = IDLE + """import os, time
for number in range(6):
    if os.fork() == 0:
        while True: (sum(range(1000)), os.write(1, b'x' * 1000), time.sleep(0.01))
"""
STAY = "import time; time.sleep(60)\n"
WANTED = {"a": b"a" * 5000, "b": b"b"}

KINDS = {"client.adopted": "adopt", "client.record-removed": "adopt", "client.reply-made": "mcp",
         "client.reply-written": "mcp", "client.call-kept": "mcp", "boxd.limit-hit": "deadline",
         "boxd.killed": "deadline", "boxd.keeper.timer-fired": "orphan", "boxd.record-kept": "orphan",
         "boxd.file.made": "orphan", "boxd.file.written": "orphan", "boxd.file.synced": "orphan",
         "boxd.file.renamed": "orphan", "client.file.named": "replace"}


def crash_build():
    binary = pathlib.Path(ASK["pybox"]).resolve().parent / "crash" / "pybox"
    if not binary.exists():
        prelude.unmet("the build with crash points (bin/crash/pybox) is not there")
    return binary


def points_of(binary, roles):
    listed = prelude.pybox("--list-crashpoints", binary=binary)
    return [name for name in listed.out.decode().split() if name.split(".")[0] in roles]


class Case:
    """One death: a home, a point, a load."""

    def __init__(self, number, point, load, binary, passes=1):
        self.point, self.load, self.binary = point, load, binary
        self.kind = KINDS.get(point, "exec")
        self.home = prelude.own_home(f"home-{number}")
        (self.home / "keys").exists() and shutil.rmtree(self.home / "keys")  # made anew: its making is a step too
        (self.home / "crashpoint").touch(mode=0o600)
        self.place = scratch() / f"place-{number}"
        self.place.mkdir()
        self.secret = prelude.secrets.token_hex(16)
        (self.place / "secret").write_text(self.secret)
        self.env = {"PYBOX_CRASHPOINT": f"{point}:{passes}"}
        if self.kind == "adopt":
            self.leave_a_record()
        if self.kind == "replace":
            (self.place / "receipt.json").write_text("{}")
        self.since = time.time()
        self.before = invariants.View(self.home)
        self.wrong = []
        self.runs = []

    def words(self, limit_s=LIMIT_S, load=None):
        code = (BUSY if (load or self.load) == "busy" else IDLE) + (STAY if self.kind in ("deadline", "orphan") else "")
        return ["exec", "--engine", "native", "--timeout", limit_s, "--input", self.place / "secret", "--output",
                self.place / "out", "--receipt", self.place / "receipt.json", "-c", code, "--", self.secret]

    def leave_a_record(self):
        """The run of a client that was killed: `pybox receipts` then adopts its record."""
        client = prelude.start(*self.words(), home=self.home)
        client.stdout.read(3)
        client.kill()
        client.communicate()
        prelude.wait_until(lambda: list((self.home / "receipts" / "pending").glob("*.json")), LIMIT_S + SLACK_S)

    def begin(self):
        self.began = time.monotonic()
        options = {"home": self.home, "binary": self.binary, "env": self.env}
        if self.kind == "adopt":
            self.client = prelude.start("receipts", **options)
        elif self.kind == "mcp":
            self.client = prelude.start("mcp", "--engine", "native", stdin=prelude.subprocess.PIPE, **options)
            self.client.stdin.write(self.calls())
            self.client.stdin.flush()
        else:
            self.client = prelude.start(*self.words(), **options)

    def calls(self):
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "run_python", "arguments": {"code": BUSY if self.load == "busy" else IDLE, "timeout_s": LIMIT_S}}}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        return "".join(json.dumps(line) + "\n" for line in (hello, ready, call)).encode()

    def die(self):
        """Waits for the death, and for the client where it is another process that died."""
        if self.kind == "orphan":
            if self.client.stdout.read(3) != b"up\n":
                self.wrong.append("the program did not start")
            self.client.kill()
        done = prelude.finish(self.client, self.began, ANSWER_S + 5)
        self.runs.append(done)

    def struck(self):
        page = invariants.read(self.home / "crashpoint")
        unlisted = page[64:128].split(b"\0")[0].decode()
        if unlisted:
            self.wrong.append(f"the point {unlisted} is not listed")
        return page[:64].split(b"\0")[0].decode() == self.point

    def look_at_what_was_handed_over(self):
        """The output folder is whole or absent, the receipt file whole or absent, and kept too."""
        out, receipt = self.place / "out", self.place / "receipt.json"
        self.acknowledged = []
        if receipt.exists():
            try:
                self.acknowledged = [json.loads(receipt.read_bytes())]
            except ValueError:
                self.wrong.append("the receipt file is torn")
        if self.acknowledged == [{}]:
            self.acknowledged = []  # still the old file
        if out.exists():
            found = {path.name: path.read_bytes() for path in out.iterdir()}
            # A program that died before its first instruction wrote nothing.
            if found != WANTED and self.point != "boxd.program.before-exec":
                self.wrong.append(f"the output folder is not whole: {sorted(found)}")
            shutil.rmtree(out)

    def start_again(self):
        if self.kind == "adopt" or self.kind == "orphan":
            listed = prelude.pybox("receipts", home=self.home)
            if listed.exit != 0:
                self.wrong.append(f"pybox receipts: {listed.said()[:200]}")
        receipt = self.place / "receipt.json"
        for _ in range(2):
            shutil.rmtree(self.place / "out", ignore_errors=True)
            words = self.words(limit_s=20, load="idle")
            words[words.index("-c") + 1] = IDLE
            done = prelude.pybox(*words, home=self.home)
            self.runs.append(done)
            if done.exit != 0:
                self.wrong.append(f"I6 the next start: exit code {done.exit}: {done.said()[-200:]}")
            elif receipt.exists():
                self.acknowledged.append(json.loads(receipt.read_bytes()))

    def look(self):
        places = {path.name for path in self.place.iterdir()}
        if extra := places - {"secret", "receipt.json", "out"}:
            self.wrong.append(f"I2 left beside the results: {sorted(extra)}")
        self.wrong += [f"I2 {thing}" for thing in invariants.nothing_left(self.before, self.home)
                       if not thing.startswith("cgroup")]
        self.wrong += [f"I3 {thing}" for thing in invariants.receipts_whole(self.home, self.acknowledged)]
        (self.place / "secret").unlink()
        self.wrong += [f"I7 {thing}" for thing in invariants.no_secret(self.home, self.secret, self.since)]
        self.wrong += [f"I8 {thing}" for thing in invariants.answered(self.runs, ANSWER_S)]

    def discard(self):
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.rmtree(self.place, ignore_errors=True)


def play(cases, recover):
    """Lets a batch die and looks at what is left of it: [(case, [what is wrong])]."""
    before = invariants.View(cases[0].home)
    for case in cases:
        case.begin()
    with concurrent.futures.ThreadPoolExecutor(BATCH) as pool:
        list(pool.map(Case.die, cases))
        left = invariants.settle(lambda: invariants.no_process(before), LIMIT_S + 1 + SLACK_S)
        for case in cases:
            case.look_at_what_was_handed_over()
        if recover:
            list(pool.map(Case.start_again, cases))
        left += invariants.settle(lambda: invariants.no_process(before), 2)
        left += invariants.settle(lambda: [g for g in invariants.cgroups() if f"cgroup {g}" not in before.things], 2)
        list(pool.map(Case.look, cases))
    return left


def work():
    binary = crash_build()
    loads = [ASK["args"]["load"]] if "load" in ASK["args"] else ["idle", "busy"]
    points = ASK["args"].get("only") or points_of(binary, ASK["args"].get("roles", ["client", "boxd"]))
    if is_control():  # a boxd that dies between making a cgroup and removing it
        points, loads = ["boxd.go", "boxd.box-killed"], ["idle"]
    todo = [(point, load) for point in points for load in loads]
    wrong, numbers, missed, all_cases = [], itertools.count(1), [], len(todo)
    for _ in range(3):  # on a busy host another timer may have been first
        missed = []
        for at in range(0, len(todo), BATCH):
            cases = [Case(next(numbers), point, load, binary) for point, load in todo[at:at + BATCH]]
            left = play(cases, recover=not is_control())
            names = " ".join(f"{case.point}({case.load})" for case in cases)
            wrong += [f"{thing} of one of {names}" for thing in left]
            for case in cases:
                if not case.struck():
                    missed.append((case.point, case.load))
                wrong += [f"{case.point}({case.load}): {thing}" for thing in case.wrong]
                case.discard()
        todo = missed
    if is_control():
        prelude.run("pass", home=prelude.own_home("sweeper"), engine="native")
    if missed:
        end("missed", missed=[f"{point}({load})" for point, load in missed], wrong=wrong[:40])
    if wrong:
        end("reached", wrong[0], wrong=wrong[:60], points=len(points))
    end("clean", points=len(points), cases=all_cases)


prelude.main(work, isolated=True)
