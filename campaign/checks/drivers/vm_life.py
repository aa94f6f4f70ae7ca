"""The life of a VM of the driver's own: kill -9 of QEMU, of the supervisor, of a client, and death at crash points
of supervisor, client and the guest's boxd. After each the next start must clear up and work.

args: {"what": "kills"} or {"what": "crashes", "points": [names]} (default: every point of the supervisor and a
sample of the guest's). The control arm looks before the next start: what the dead supervisor left must be noticed.
"""

import json
import pathlib
import random
import time

import invariants
import prelude
from prelude import ASK, end, is_control, scratch

# An emulated guest on a busy host takes seconds to start a program.
LIMIT_S = 10
START_S = 240
ANSWER_S = 45
SLEEP = "import time; print('up', flush=True); time.sleep(60)\n"
WRITES = "open('/tmp/output/a', 'w').write('a' * 5000); print('up', flush=True)\n"
AT_START = ("life-locked", "guest-answered", "state-written", "state-committed", "listening", "pid-written", "file.")
GUEST_SAMPLE = 6


class Life:
    def __init__(self, binary):
        self.binary = binary
        self.home = prelude.own_home()
        self.secret = prelude.secrets.token_hex(16)
        self.wrong = []

    def start(self, env=None):
        return prelude.pybox("vm", "start", home=self.home, binary=self.binary, env=env, patience_s=START_S)

    def stop(self):
        return prelude.pybox("vm", "stop", home=self.home, binary=self.binary)

    def status(self):
        told = prelude.pybox("vm", "status", "--json", home=self.home, binary=self.binary)
        return json.loads(told.out) if told.exit == 0 else {}

    def must_start(self, when):
        started = self.start()
        if started.exit != 0:
            self.wrong.append(f"{when}: the next start: exit code {started.exit}: {started.said()[-300:]}")
        return started.exit == 0

    def program(self, code, *words, env=None):
        return prelude.start("exec", "--engine", "vm", "--timeout", LIMIT_S, *words, "-c", code, home=self.home,
                             binary=self.binary, env=env)

    def settle_processes(self, when, before, patience_s=15):
        self.wrong += [f"{when}: {what}" for what in invariants.settle(lambda: invariants.no_process(before), patience_s)]


def kills(life, before):
    for victim in ("qemu_pid", "pid", "client"):
        if not life.must_start(f"before the kill of {victim}"):
            return
        running = life.status()
        client = life.program(SLEEP)
        began = time.monotonic()
        if client.stdout.read(3) != b"up\n":
            life.wrong.append(f"{victim}: the program did not start: {client.stderr.read()[-200:]!r}")
            continue
        prelude.kill(client.pid if victim == "client" else running[victim])
        done = prelude.finish(client, began, ANSWER_S)
        life.wrong += [f"{victim}: {what}" for what in invariants.answered([done], ANSWER_S)]
        if victim == "client":
            known = lambda: [path for path in invariants.receipts(life.home).values()
                             if json.loads(path.read_bytes())["outcome"]["observation"] == "BOX_TIMER_KILL_OBSERVED"]
            look = lambda: prelude.pybox("receipts", home=life.home, binary=life.binary) and known()
            if not prelude.wait_until(look, LIMIT_S + 20, every_s=0.5):
                life.wrong.append("client: no receipt of a box timer was kept")
            life.stop()
        elif done.exit != 125:
            life.wrong.append(f"{victim}: the client's exit code is {done.exit}")
        life.settle_processes(victim, before)


def strike(life, point, before):
    """Dies at one point; true when it struck."""
    page = life.home / "crashpoint"
    page.write_bytes(b"")
    env = {"PYBOX_CRASHPOINT": f"{point}:1"}
    name = point.split(".", 1)[1]
    if point.startswith("supervisor.") and name.startswith(AT_START):
        life.stop()
        if name.startswith("state-"):  # a saved state is made only where there is none
            for path in (life.home / "vm" / "saved").glob("*"):
                path.unlink()
        died = life.start(env)
        if died.exit == 0:
            life.wrong.append(f"{point}: the start did not notice")
    else:
        if not life.must_start(f"before {point}"):
            return False
        began = time.monotonic()
        client = life.program(SLEEP if name in ("limit-hit", "killed") else WRITES, "--output", scratch() / "out",
                              env=env)
        life.wrong += [f"{point}: {what}" for what in invariants.answered([prelude.finish(client, began, ANSWER_S)], ANSWER_S)]
    def has_struck():
        log = b"".join(invariants.read(path) for path in (life.home / "vm").glob("console.log*"))
        return (invariants.read(page)[:64].split(b"\0")[0].decode() == point
                or f"crash point {point} struck".encode() in log)

    # A guest that dies after its last word says so on its console a moment later.
    struck = prelude.wait_until(has_struck, 10)
    (scratch() / "out").exists() and prelude.shutil.rmtree(scratch() / "out")
    return struck


def crashes(life, before):
    listed = prelude.pybox("--list-crashpoints", binary=life.binary).out.decode().split()
    supervisors = [name for name in listed if name.startswith("supervisor.")]
    guests = [name for name in listed if name.startswith("boxd.")
              and not any(word in name for word in ("file.", "record-kept", "timer-fired", "swept"))]
    picked = random.Random(ASK["args"].get("seed", ASK["nonce"])).sample(guests, GUEST_SAMPLE)
    points = ASK["args"].get("points") or supervisors + picked + ["client.order-sent", "client.program-started"]
    missed = []
    for point in points:
        if not strike(life, point, before):
            missed.append(point)
        if life.must_start(f"after {point}"):
            life.wrong += [f"{point}: {what}" for what in
                           invariants.starts_again(life.home, life.binary, times=1, engine="vm")]
    if missed:
        end("missed", missed=missed, wrong=life.wrong[:20])
    return points


def without_next_start(life, before):
    if not life.must_start("control"):
        end("no-vm", wrong=life.wrong)
    prelude.kill(life.status()["pid"])
    prelude.wait_until(lambda: not invariants.no_process(before), 15)
    found = invariants.nothing_left(before, life.home)
    life.must_start("after the control")
    life.stop()
    end("reached" if found else "unnoticed", found[0] if found else None, found=found)


def work():
    binary = pathlib.Path(ASK["pybox"])
    if ASK["args"]["what"] == "crashes":
        binary = binary.resolve().parent / "crash" / "pybox"
        if not binary.exists():
            prelude.unmet("the build with crash points (bin/crash/pybox) is not there")
    life = Life(binary)
    (life.home / "run").mkdir(mode=0o700)
    if ASK["args"]["what"] == "crashes":
        (life.home / "crashpoint").touch(mode=0o600)
    before = invariants.View(life.home)
    if is_control():
        without_next_start(life, before)
    points = {"kills": kills, "crashes": crashes}[ASK["args"]["what"]](life, before)
    life.stop()
    life.wrong += invariants.settle(lambda: invariants.nothing_left(before, life.home), 5)
    life.wrong += invariants.receipts_whole(life.home)
    end("reached" if life.wrong else "clean", life.wrong[0] if life.wrong else None, found=life.wrong[:40], points=points)


prelude.main(work, isolated=True)
