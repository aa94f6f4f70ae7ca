"""kill -9 of everything that can be killed: whatever dies, the box is gone at its limit plus a second."""

import json
import os
import signal
import time

import host
from harness import ALL, NATIVE, Pulse, test
from homes import side_home

# Measured once a test.
LIMITS = {}
SLEEP = "import time; print('up', flush=True); time.sleep(60)"


def limit_of(t):
    """Long enough for the program to be up and to be looked at; emulated on a busy machine that takes its time."""
    if not t.slow:
        return 1.5
    if t not in LIMITS:
        LIMITS[t] = min(25.0, max(5.0, 4 * t.time_to_reach("print('up')")))
    return LIMITS[t]


def gone_after(t):
    """Seconds from the program's first word to the end of everything: the keeper's timer is limit + 1 s.
    Where the box is emulated, the cleaning up takes a while too."""
    return limit_of(t) + 1.0 + (2.0 if t.slow else 0.3)


def started(t, limit_s=None):
    """A client with its program running; returns (client, when the program was seen up)."""
    client = t.start(*t.exec_words("-c", SLEEP, limit_s=limit_s or limit_of(t)))
    first = client.stdout.read(3)
    t.equal("the program is up", first, b"up\n")
    return client, time.monotonic()


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def processes_named(client, name):
    return [pid for pid in host.children_of(client.pid) if host.name_of(pid) == name]


def boxed(programs):
    return [pid for pid, _ in programs.running() if host.is_boxed(pid) and "python" in host.command_line(pid)]


def listed_receipts(t):
    run = t.pybox("receipts", "--json")
    t.equal("exit code of pybox receipts", run.exit, 0)
    return {row["receipt_id"] for row in json.loads(run.out)["receipts"] if row["engine"] == t.engine}


def kept_receipt(t, known):
    """The receipt that appeared since `known` was listed; it is written when the box is gone, which the
    host cannot see of a box in the VM."""
    t.until("a receipt is kept", lambda: listed_receipts(t) - known, gone_after(t) + host.NEVER_S, every_s=0.2)
    new = listed_receipts(t) - known
    if not t.equal("kept receipts", len(new), 1):
        return {}
    return json.loads(t.pybox("receipts", new.pop(), "--json").out)


@test("kill -9 of the client: the box timer ends the box, nobody sent a stop, the receipt is kept", apart=True)
def client_killed(t):
    side_home(t)
    programs = host.Programs.of(t)
    limit_of(t)  # a run of its own
    known = listed_receipts(t)
    before = host.View(programs)
    client, up = started(t)
    kill(client.pid)
    client.wait()
    time.sleep(max(0, up + (0.5 if t.slow else limit_of(t) - 0.3) - time.monotonic()))
    if t.engine == "native":
        t.check("control: the program lives on until its timer", boxed(programs), str(programs.running()))
    host.check_gone(t, "nothing is left of the run", programs, before, gone_after(t), up)
    receipt = kept_receipt(t, known)
    outcome = receipt.get("outcome", {})
    t.equal("observation", outcome.get("observation"), "BOX_TIMER_KILL_OBSERVED")
    t.equal("stop requests", outcome.get("stop_requests"), 0)
    t.equal("box timer fired", outcome.get("box_timer_fired"), True)
    t.equal("deadline fired", outcome.get("deadline_fired"), False)
    t.equal("cleanup", receipt.get("cleanup", {}).get("status"), "REMOVED")


@test("kill -9 of client and boxd: the keeper's timer ends the box, the next start sweeps", engines=NATIVE,
      apart=True)
def both_killed(t):
    programs = host.Programs.of(t)
    before = host.View(programs)
    client, up = started(t)
    agents = processes_named(client, "boxd")
    t.check("control: a boxd is running", agents)
    kill(client.pid)
    # The nearest descendant named boxd is the agent; the keeper is its child and must survive it.
    kill(agents[0])
    client.wait()
    t.check("control: processes of the box live on", any("process" in thing for thing in host.View(programs).since(before)))
    host.check_gone(t, "no process is left", programs, before, gone_after(t), up, but=("cgroup", "mount", "file"))
    run = t.exec("-c", "print(1)")
    t.ended(run, 0)
    host.check_gone(t, "the next start swept what was left", programs, before, 1.0)


@test("kill -9 of every process of a run, one at a time: never a hang, nothing left", engines=NATIVE, apart=True,
      timeout_s=180)
def each_killed(t):
    programs = host.Programs.of(t)
    before = host.View(programs)
    client, _ = started(t)
    victims = len([client.pid, *host.children_of(client.pid)])
    client.communicate(timeout=30)
    t.within("processes of a run", victims, 3, 8)
    for number in range(1, victims):
        client, up = started(t)
        family = [client.pid, *host.children_of(client.pid)]
        name = host.name_of(family[number]) if number < len(family) else ""
        if not t.check(f"victim {number} is there", number < len(family), str(family)):
            client.communicate(timeout=30)
            continue
        with Pulse() as pulse:
            kill(family[number])
            out, err = client.communicate(timeout=30)
            took = time.monotonic() - up
        t.soon(f"seconds after the kill of {name}", took, limit_of(t) + 3, pulse)
        t.check(f"the client's code after the kill of {name}", client.returncode in (124, 125, 137),
                f"{client.returncode}: {err[-200:]!r}")
        t.check(f"a receipt after the kill of {name}", (t.folder / "receipt.json").exists())
        host.check_gone(t, f"nothing is left after the kill of {name}", programs, before, limit_of(t) + 2,
                        but=("cgroup",))
    t.ended(t.exec("-c", "print(1)"), 0)
    host.check_gone(t, "the next start swept the rest", programs, before, 1.0)


@test("kill -9 of the client at any moment leaves nothing", apart=True, timeout_s=240)
def any_moment(t):
    programs = host.Programs.of(t)
    before = host.View(programs)
    step = 0.06 if t.slow else 0.008
    for number in range(25):
        client = t.start(*t.exec_words("-c", "import time; time.sleep(8)", limit_s=0.3))
        time.sleep(number * step)
        kill(client.pid)
        client.communicate()
    host.check_gone(t, "nothing is left", programs, before, 0.3 + 1 + (4.0 if t.slow else 1.0))
    t.ended(t.exec("-c", "print(1)"), 0)
    host.check_gone(t, "nothing is left after the next run", programs, before, 2.0)


@test("SIGTERM and SIGHUP to the client stop the box at once", engines=ALL, apart=True)
def asked_to_stop(t):
    programs = host.Programs.of(t)
    before = host.View(programs)
    for number in (signal.SIGTERM, signal.SIGHUP):
        client, _ = started(t, limit_s=20)
        with Pulse() as pulse:
            began = time.monotonic()
            client.send_signal(number)
            client.communicate(timeout=30)
            took = time.monotonic() - began
        t.soon(f"seconds after {number.name}", took, 3, pulse)
        t.check(f"exit code after {number.name}", client.returncode in (130, 128 + number, -number, 125), str(client.returncode))
    host.check_gone(t, "nothing is left", programs, before, 2.0)


@test("a stopped client does not keep its box alive", engines=NATIVE, apart=True)
def stopped_client(t):
    programs = host.Programs.of(t)
    client, up = started(t)
    os.kill(client.pid, signal.SIGSTOP)

    t.check("control: the program is running", boxed(programs))
    with Pulse() as pulse:
        t.until("the program is gone", lambda: not boxed(programs), gone_after(t) + host.NEVER_S)
        took = time.monotonic() - up
    t.soon("seconds until it is gone", took, gone_after(t), pulse)
    os.kill(client.pid, signal.SIGCONT)
    client.communicate(timeout=30)
    t.check("the client ends", client.returncode in (124, 125), str(client.returncode))


@test("a client that was killed leaves no output folder, and the kept receipt says so")
def killed_client(t):
    side_home(t)
    out = t.folder / "out"
    before = listed_receipts(t)
    client = t.start(*t.exec_words("--output", out, "-c", "open('/tmp/output/f','w').write('x')\nprint('up',flush=True)\n"
                                   "import time; time.sleep(1)", limit_s=5))
    t.equal("the program runs", client.stdout.readline(), b"up\n")
    client.kill()
    client.wait()
    new = set()

    def is_kept():
        new.update(listed_receipts(t) - before)
        return bool(new)

    if t.until("the receipt was kept", is_kept, 60, every_s=0.3):
        kept = json.loads(t.pybox("receipts", new.pop(), "--json").out)
        t.equal("files.status", kept["files"]["status"], "not_received")
        t.equal("files.returned", kept["files"]["returned"], [])
    t.equal("what stands beside", sorted(p.name for p in t.folder.iterdir() if "out" in p.name), [])
