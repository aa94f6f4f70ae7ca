"""kill -9 of everything that can be killed: whatever dies, the box is gone at its limit plus a second."""

import json
import os
import signal
import time

import host
from harness import ALL, NATIVE, test

SLEEP = "import time; print('up', flush=True); time.sleep(60)"


def limit_of(t):
    return 5.0 if t.slow else 1.5


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
    return {row["receipt_id"] for row in json.loads(run.out)["receipts"]}


def kept_receipt(t, known):
    """The receipt that appeared since `known` was listed; it is written when the box is gone, which the
    host cannot see of a box in the VM."""
    t.until("a receipt is kept", lambda: listed_receipts(t) - known, gone_after(t), every_s=0.2)
    new = listed_receipts(t) - known
    if not t.equal("kept receipts", len(new), 1):
        return {}
    return json.loads(t.pybox("receipts", new.pop(), "--json").out)


@test("kill -9 of the client: the box timer ends the box, nobody sent a stop, the receipt is kept", serial=True)
def client_killed(t):
    programs = host.Programs(t.setting, t.setting.home)
    known = listed_receipts(t)
    before = host.View(programs)
    client, up = started(t)
    kill(client.pid)
    client.wait()
    time.sleep(max(0, up + (0.5 if t.slow else limit_of(t) - 0.3) - time.monotonic()))
    if t.engine == "native":
        t.check("control: the program lives on until its timer", boxed(programs), str(programs.running()))
    left = host.settle(programs, before, max(0, up + gone_after(t) - time.monotonic()))
    t.check(f"nothing is left {gone_after(t)} s after the start", not left, "; ".join(left)[:600])
    receipt = kept_receipt(t, known)
    outcome = receipt.get("outcome", {})
    t.equal("observation", outcome.get("observation"), "BOX_TIMER_KILL_OBSERVED")
    t.equal("stop requests", outcome.get("stop_requests"), 0)
    t.equal("box timer fired", outcome.get("box_timer_fired"), True)
    t.equal("deadline fired", outcome.get("deadline_fired"), False)
    t.equal("cleanup", receipt.get("cleanup", {}).get("status"), "REMOVED")


@test("kill -9 of client and boxd: the keeper's timer ends the box, the next start sweeps", engines=NATIVE,
      serial=True)
def both_killed(t):
    programs = host.Programs(t.setting, t.setting.home)
    before = host.View(programs)
    client, up = started(t)
    agents = processes_named(client, "boxd")
    t.check("control: a boxd is running", agents)
    kill(client.pid)
    # The nearest descendant named boxd is the agent; the keeper is its child and must survive it.
    kill(agents[0])
    client.wait()
    t.check("control: processes of the box live on", any("process" in thing for thing in host.View(programs).since(before)))
    end = up + gone_after(t)
    t.until("no process is left", lambda: not [x for x in host.View(programs).since(before) if x.startswith("process")],
            max(0, end - time.monotonic()))
    run = t.exec("-c", "print(1)")
    t.ended(run, 0)
    left = host.settle(programs, before, 1.0)
    t.check("the next start swept what was left", not left, "; ".join(left)[:600])


@test("kill -9 of every process of a run, one at a time: never a hang, nothing left", engines=NATIVE, serial=True,
      timeout_s=180)
def each_killed(t):
    programs = host.Programs(t.setting, t.setting.home)
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
        kill(family[number])
        out, err = client.communicate(timeout=30)
        t.within(f"seconds after the kill of {name}", time.monotonic() - up, 0, limit_of(t) + 3)
        t.check(f"the client's code after the kill of {name}", client.returncode in (124, 125, 137),
                f"{client.returncode}: {err[-200:]!r}")
        t.check(f"a receipt after the kill of {name}", (t.folder / "receipt.json").exists())
        left = [x for x in host.settle(programs, before, limit_of(t) + 2) if not x.startswith("cgroup")]
        t.check(f"nothing is left after the kill of {name}", not left, "; ".join(left)[:600])
    t.ended(t.exec("-c", "print(1)"), 0)
    left = host.settle(programs, before, 1.0)
    t.check("the next start swept the rest", not left, "; ".join(left)[:600])


@test("kill -9 of the client at any moment leaves nothing", serial=True, timeout_s=240)
def any_moment(t):
    programs = host.Programs(t.setting, t.setting.home)
    before = host.View(programs)
    step = 0.06 if t.slow else 0.008
    for number in range(25):
        client = t.start(*t.exec_words("-c", "import time; time.sleep(8)", limit_s=0.3))
        time.sleep(number * step)
        kill(client.pid)
        client.communicate()
    left = host.settle(programs, before, 0.3 + 1 + (4.0 if t.slow else 1.0))
    left = [x for x in left if "/cache" not in x]
    t.check("nothing is left", not left, "; ".join(left)[:800])
    t.ended(t.exec("-c", "print(1)"), 0)
    t.check("nor after the next run", not host.settle(programs, before, 2.0))


@test("SIGTERM and SIGHUP to the client stop the box at once", engines=ALL, serial=True)
def asked_to_stop(t):
    programs = host.Programs(t.setting, t.setting.home)
    before = host.View(programs)
    for number in (signal.SIGTERM, signal.SIGHUP):
        client, _ = started(t, limit_s=20)
        began = time.monotonic()
        client.send_signal(number)
        client.communicate(timeout=30)
        t.within(f"seconds after {number.name}", time.monotonic() - began, 0, 3)
        t.check(f"exit code after {number.name}", client.returncode in (130, 128 + number, -number, 125), str(client.returncode))
    left = host.settle(programs, before, 2.0)
    t.check("nothing is left", not left, "; ".join(left)[:600])


@test("a stopped client does not keep its box alive", engines=NATIVE, serial=True)
def stopped_client(t):
    programs = host.Programs(t.setting, t.setting.home)
    client, up = started(t)
    os.kill(client.pid, signal.SIGSTOP)

    t.check("control: the program is running", boxed(programs))
    t.until("the program is gone", lambda: not boxed(programs), up + gone_after(t) - time.monotonic())
    os.kill(client.pid, signal.SIGCONT)
    client.communicate(timeout=30)
    t.check("the client ends", client.returncode in (124, 125), str(client.returncode))
