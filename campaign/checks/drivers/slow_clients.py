"""Clients that read slowly or not at all, that are stopped, whose pipes are half closed and whose input trickles: their
boxes end at their limit all the same, another client's run is not held up, and nothing is left.

Without a cut. Natively the control arm puts a client in pybox's place that looks at its deadline only between two
blocking calls: every case must be found. On the vm engine, where clients share a boxd, it gives the runs a limit
four times as long as what the observation is told: boxes that live on must be found.
"""

import fcntl
import json
import os
import secrets
import signal
import subprocess
import sys
import time

import invariants
import prelude
from prelude import ASK, end, is_control, scratch

CHATTY = "import sys, time\nprint('up', flush=True)\n"
WRITES = CHATTY + """import os
while True:
    try: os.write(1, b'x' * 4000)
    except OSError: pass
    time.sleep(0.001)
"""
SLEEPS = CHATTY + "time.sleep(60)\n"
READS = CHATTY + "while sys.stdin.buffer.read(1): pass\ntime.sleep(60)\n"
DEAF = CHATTY + "import os\nos.close(0)\ntime.sleep(0.2)\nsys.exit(7)\n"
# A client that blocks where PyBox must not.
NAIVE = """
import os, subprocess, sys, time
limit, code, has_stdin = float(sys.argv[1]), sys.argv[2], sys.argv[3] == "stdin"
until = time.monotonic() + limit
child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
os.write(1, os.read(child.stdout.fileno(), 3))
while has_stdin and (data := os.read(0, 65536)):
    os.write(child.stdin.fileno(), data)
while time.monotonic() < until and (data := os.read(child.stdout.fileno(), 65536)):
    os.write(1, data)
child.kill()
sys.exit(124)
"""


def limit_s():
    return 4.0 if ASK["engine"] == "vm" else 1.0


def late_s():
    return 5.0 if ASK["engine"] == "vm" else 1.5


class Client:
    """One client; what it prints goes into a pipe of a page, which nobody reads until release()."""

    def __init__(self, name, code, home, stdin=None, limit=None):
        self.name, self.home = name, home
        self.receipt_place = scratch() / f"receipt-{secrets.token_hex(4)}.json"
        self.read, write = os.pipe()
        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
        self.feed = None
        theirs = subprocess.DEVNULL
        if stdin:
            theirs, self.feed = os.pipe()
            os.set_blocking(self.feed, False)
        if is_control() and ASK["engine"] == "native":
            words = [sys.executable, "-c", NAIVE, str(limit_s()), code, "stdin" if stdin else "none"]
        else:
            words = [ASK["pybox"], "exec", "--engine", ASK["engine"], "--timeout", str(limit or limit_s()),
                     "--receipt", str(self.receipt_place), "--quiet", "-c", code]
        self.said = scratch() / f"said-{secrets.token_hex(4)}"
        with open(self.said, "wb") as err:
            self.process = subprocess.Popen(words, env=prelude.environment(home), cwd=scratch(), stdin=theirs, stdout=write,
                                            stderr=err)
        os.close(write)
        if stdin:
            os.close(theirs)

    def wait_up(self):
        if os.read(self.read, 3) != b"up\n":
            end("no-start", said=f"{self.name}: {invariants.read(self.said)[-300:]!r}")
        self.up = time.monotonic()

    def trickle(self, data=b"x"):
        try:
            os.write(self.feed, data)
        except OSError:
            pass  # full, or nobody reads any more

    def release(self):
        """Reads what comes, and lets a stopped client go on."""
        prelude.kill(self.process.pid, signal.SIGCONT)
        os.set_blocking(self.read, False)

        def drained():
            try:
                while os.read(self.read, 65536):
                    pass
            except BlockingIOError:
                pass
            return self.process.poll() is not None

        ended = prelude.wait_until(drained, 15)
        wrong = [] if ended else ["it does not end when it is read"]
        self.process.kill()
        self.process.wait()
        return wrong

    def discard(self):
        self.process.kill()
        self.process.wait()
        for fd in (self.read, self.feed):
            if fd is not None:
                os.close(fd)

    def judge(self, exit_code):
        if self.process.returncode != exit_code:
            return [f"{self.name}: exit code {self.process.returncode}, not {exit_code}"]
        if not self.receipt_place.exists():
            return [f"{self.name}: no receipt"]
        wall = json.loads(self.receipt_place.read_bytes())["outcome"]["wall_s"]
        if exit_code == 124 and not limit_s() - 0.01 <= wall <= limit_s() + late_s():
            return [f"{self.name}: its program ran for {wall} s"]
        return []


class Boxes:
    """What runs in boxes, as the kernel that they are on tells: how many groups of processes, or which processes."""

    def __init__(self, home):
        self.home = home
        self.before = invariants.View(home)
        self.quiet = self.in_guest() if ASK["engine"] == "vm" else 0

    def in_guest(self):
        told = prelude.pybox("vm", "status", "--json", home=self.home)
        return ((json.loads(told.out) if told.exit == 0 else {}).get("guest") or {}).get("cgroups", -1)

    def alive(self):
        if ASK["engine"] == "vm":
            now = self.in_guest()
            return [f"{now - self.quiet} boxes in the guest"] if now > self.quiet else []
        # pybox and boxd may wait for their client; keepers and programs may not.
        return [what for what in invariants.no_process(self.before) if what.startswith("process")
                and not any(f" {own}:" in what for own in ("pybox", "boxd"))
                and "import os, subprocess" not in what]


def start_all(home):
    long = limit_s() * 4 if is_control() and ASK["engine"] == "vm" else None
    kinds = {"unread": (WRITES, False), "stopped": (WRITES, False), "closed": (WRITES, False)}
    if ASK["engine"] == "native":  # of the client, so the same on both
        kinds |= {"trickle": (READS, True), "unheard": (SLEEPS, True)}
    clients = {name: Client(name, code, home, stdin, long) for name, (code, stdin) in kinds.items()}
    for client in clients.values():
        client.wait_up()
    prelude.kill(clients["stopped"].process.pid, signal.SIGSTOP)
    os.close(clients["closed"].read)
    clients["closed"].read = os.open("/dev/null", os.O_RDONLY)
    if "unheard" in clients:
        for _ in range(200):
            clients["unheard"].trickle(b"y" * 65536)
    return clients


def another_run(home):
    """A run beside them, in the time that a run takes."""
    began = time.monotonic()
    done = prelude.run("print('beside')", home=home, limit_s=10)
    took = time.monotonic() - began
    if done.out != b"beside\n" or took > (8 if ASK["engine"] == "vm" else 1.5):
        return [f"a run beside them took {took:.1f} s and ended with {done.exit}: {done.said()[-150:]}"]
    return []


def early_end(home):
    """A program that closes its input and ends, while the caller's input stays open."""
    client = Client("left", DEAF, home, True)
    client.wait_up()
    client.trickle()
    ended = prelude.wait_until(lambda: client.process.poll() is not None, limit_s() - 0.2)
    wrong = client.judge(7) if ended else ["left: the client waits for input that nobody wants"]
    client.discard()
    return wrong


def found_by_case(home, boxes):
    clients = start_all(home)
    last_up = max(client.up for client in clients.values())
    wrong = [] if is_control() else another_run(home)
    until = last_up + limit_s() + late_s()
    while time.monotonic() < until and (boxes.alive() or time.monotonic() < last_up + limit_s()):
        for name in {"trickle", "unheard"} & set(clients):
            clients[name].trickle()
        time.sleep(0.1)
    left = boxes.alive()
    found = {name: [f"{name}: its client waits on, and {len(left)} are alive: {left[:2]}"] for name in clients} if left else {}
    if is_control():
        return clients, found, wrong
    for client in clients.values():
        faults = client.release() + client.judge(124)
        if faults:
            found[client.name] = found.get(client.name, []) + faults
    return clients, found, wrong


def by_one_each(home, boxes):
    """The control's cases one by one: each must leave something alive past its limit."""
    missed, said = [], []
    for name, (code, stdin) in {"unread": (WRITES, False), "stopped": (WRITES, False), "closed": (WRITES, False),
                                "trickle": (READS, True), "unheard": (SLEEPS, True)}.items():
        client = Client(name, code, home, stdin)
        client.wait_up()
        if name == "stopped":
            prelude.kill(client.process.pid, signal.SIGSTOP)
        if name == "closed":
            os.close(client.read)
            client.read = os.open("/dev/null", os.O_RDONLY)
        until = client.up + limit_s() + 0.5
        while time.monotonic() < until:
            client.feed and client.trickle(b"y" * 65536 if name == "unheard" else b"x")
            time.sleep(0.02)
        left = boxes.alive()
        (said if left else missed).append(f"{name}: {left[:1]}")
        client.discard()
        for pid in invariants.processes():  # what a client of this kind leaves behind
            if pid not in boxes.before.processes:
                prelude.kill(pid)
    return missed, said


def work():
    native = ASK["engine"] == "native"
    home = prelude.own_home() if native else ASK["home"]
    if native:
        prelude.run("pass", home=home)
    boxes = Boxes(home)
    if is_control() and native:
        missed, said = by_one_each(home, boxes)
        said += early_end(home)
        ok = not missed and len(said) == 6
        end("reached" if ok else "unnoticed", said[0] if said else None, found=said, missed=missed)
    clients, found, wrong = found_by_case(home, boxes)
    if is_control():
        for client in clients.values():
            client.release()
            client.discard()
        all_found = [fault for faults in found.values() for fault in faults]
        end("reached" if all_found else "unnoticed", all_found[0] if all_found else None, found=all_found)
    for client in clients.values():
        client.discard()
    wrong += [fault for faults in found.values() for fault in faults]
    if native:
        wrong += early_end(home)
        wrong += invariants.settle(lambda: invariants.no_process(boxes.before), 3)
        wrong += invariants.settle(lambda: invariants.nothing_left(boxes.before, home), 3)
        wrong += invariants.receipts_whole(home)
    end("reached" if wrong else "borne", wrong[0] if wrong else None, found=wrong[:20], clients=sorted(clients))


prelude.main(work, isolated=True)
