"""The VM from outside: started once, found again, stopped without a trace, lost without a hang."""

import json
import os
import pathlib
import shutil
import signal
import threading
import time

import host
from harness import VM, test


def own_home(t):
    """A PyBox of the test's own, so that the shared VM is not disturbed: same kernel and images."""
    home = t.folder / "pybox"
    shutil.copytree(t.setting.home, home, symlinks=True, copy_function=os.link,
                    ignore=shutil.ignore_patterns("run", "receipts", "cache", "saved", "*.log*", "*.lock"))
    t.home = home
    return home


def qemus(home):
    return [pid for pid in host.all_pids() if "qemu" in host.name_of(pid) and str(home) in host.command_line(pid)]


def status(t):
    run = t.pybox("vm", "status", "--json")
    return json.loads(run.out) if run.out else {}


@test("without the VM: exit 125, what to type, and nothing is executed", engines=VM)
def not_running(t):
    own_home(t)
    marker = t.folder / "marker"
    run = t.exec("-c", f"open({str(marker)!r}, 'w').write('x')")
    t.equal("exit code", run.exit, 125)
    t.has("stderr", run.errors, "the VM is not running")
    t.has("stderr", run.errors, "pybox vm start")
    t.receipt(run, outcome__observation="NOT_STARTED", cleanup__status="NOT_ATTEMPTED", seal__verified=False)
    t.check("nothing was executed on the host", not marker.exists())
    t.equal("pybox vm status says so", status(t).get("running"), False)


@test("starting twice is one VM, stopping leaves nothing", engines=VM, timeout_s=300)
def lifecycle(t):
    home = own_home(t)
    programs = host.Programs.of(t)
    before = host.View(programs)
    try:
        for _ in range(2):
            run = t.pybox("vm", "start", patience_s=150)
            t.check("vm start", run.exit == 0, f"exit code {run.exit}: {run.errors[-400:]}")
        t.equal("QEMU processes", len(qemus(home)), 1)
        t.equal("status", status(t).get("running"), True)
        t.ended(t.exec("-c", "print(1)"), 0)
        line = host.command_line(qemus(home)[0])
        t.has("QEMU's own filter is on", line, "-sandbox on")
        t.lacks("no network device", line, "netdev")
        t.has("no default devices", line, "-nodefaults")
    finally:
        stop = t.pybox("vm", "stop", patience_s=60)
    t.equal("exit code of vm stop", stop.exit, 0)
    left = [x for x in host.settle(programs, before, 3.0) if "/pybox/vm/" not in x and "/keys" not in x
            and not x.endswith("/pybox/run")]
    t.check("nothing is left", not left, "; ".join(left)[:600])
    t.equal("QEMU processes afterwards", qemus(home), [])
    t.equal("stopping a stopped VM is no failure", t.pybox("vm", "stop").exit, 0)


@test("two simultaneous starts are one VM", engines=VM, timeout_s=300)
def simultaneous(t):
    home = own_home(t)
    starts = []

    def start():
        starts.append(t.pybox("vm", "start", patience_s=200))

    threads = [threading.Thread(target=start) for _ in range(3)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        t.equal("starts", len(starts), 3)
        for run in starts:
            t.well("vm start", run)
        t.equal("QEMU processes", len(qemus(home)), 1)
        t.ended(t.exec("-c", "print(1)"), 0)
    finally:
        t.pybox("vm", "stop", patience_s=60)


@test("QEMU killed in the middle of a run: BOX_LOST, 125, no hang; then it starts again", engines=VM,
      timeout_s=300)
def qemu_killed(t):
    home = own_home(t)
    try:
        t.well("vm start", t.pybox("vm", "start", patience_s=150))
        running = t.start(*t.exec_words("-c", "import time; print('up', flush=True); time.sleep(20)", limit_s=25))
        t.equal("the program is up", running.stdout.read(3), b"up\n")
        victims = qemus(home)
        t.equal("QEMU processes", len(victims), 1)
        os.kill(victims[0], signal.SIGKILL)
        began = time.monotonic()
        _, errors = running.communicate(timeout=60)
        t.within("seconds to the end", time.monotonic() - began, 0, 5)
        t.equal("exit code", running.returncode, 125)
        receipt = json.loads((t.folder / "receipt.json").read_text())
        t.equal("observation", receipt["outcome"]["observation"], "BOX_LOST")
        t.equal("exit code in the receipt", receipt["outcome"]["exit_code"], None)
        t.equal("signal in the receipt", receipt["outcome"]["signal"], None)
        t.equal("status", status(t).get("running"), False)
        t.well("vm start again", t.pybox("vm", "start", patience_s=150))
        t.ended(t.exec("-c", "print(1)"), 0)
    finally:
        t.pybox("vm", "stop", patience_s=60)


@test("the supervisor killed: its leftovers are recognised, and a start works", engines=VM, timeout_s=300)
def supervisor_killed(t):
    home = own_home(t)
    programs = host.Programs(t.setting, home)
    try:
        t.well("vm start", t.pybox("vm", "start", patience_s=150))
        for (pid, _), line in programs.running().items():
            if str(home) in host.command_line(pid) or "pybox" in host.name_of(pid):
                if pid not in qemus(home):
                    _kill_if_of(pid, home)
        t.until("no QEMU outlives its supervisor", lambda: not qemus(home), 5.0)
        t.equal("status", status(t).get("running"), False)
        t.well("vm start again", t.pybox("vm", "start", patience_s=150))
        t.ended(t.exec("-c", "print(1)"), 0)
    finally:
        t.pybox("vm", "stop", patience_s=60)


def _kill_if_of(pid, home):
    """Only a process whose environment names this very home is ours to kill."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            ours = f"PYBOX_HOME={home}".encode() in file.read().split(b"\0")
    except OSError:
        return
    if ours:
        os.kill(pid, signal.SIGKILL)


@test("what a resumed guest could share with another differs", engines=VM, timeout_s=300)
def resumes_differ(t):
    own_home(t)
    code = ("import os,uuid\nprint(os.getrandom(8).hex(), uuid.uuid4(), hash('x'), id(object()), "
            "open('/proc/sys/kernel/random/boot_id').read().strip() if os.path.exists('/proc/sys/kernel/random/boot_id') else os.urandom(4).hex())")
    seen = []
    try:
        for _ in range(3):
            t.well("vm start", t.pybox("vm", "start", patience_s=150))
            run = t.exec("-c", code)
            t.ended(run, 0)
            seen.append(run.text.split())
            t.equal("vm stop", t.pybox("vm", "stop", patience_s=60).exit, 0)
    finally:
        t.pybox("vm", "stop", patience_s=60)
    for position, what in enumerate(("random bytes", "unique id", "hash seed", "address layout", "boot id")):
        values = [words[position] for words in seen]
        t.equal(f"{what} differs between resumes", len(set(values)), len(values))


@test("the receipt says which accelerator and whose VM", engines=VM)
def names_accelerator(t):
    run = t.exec("-c", "print(1)")
    t.ended(run, 0)
    t.receipt(run, host__engine="vm", host__vm="shared", host__cgroup="v2")
    t.check("accelerator", run.get("host.accelerator") in ("kvm", "tcg"), str(run.get("host.accelerator")))
    if run.get("host.accelerator") == "tcg":
        t.has("a note", " ".join(run.get("notes", [])).lower(), "boundary")


@test("QEMU has no capability and no way to one, whoever started it", engines=VM)
def qemu_without_rights(t):
    t.ended(t.exec("-c", "print(1)"), 0)  # the VM is up
    told = json.loads(t.pybox("vm", "status", "--json").out)
    status = pathlib.Path(f"/proc/{told['qemu_pid']}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        t.equal(name, int(fields[name], 16), 0)
    if fields["Uid"].split()[0] == "0":
        t.equal("CapBnd", int(fields["CapBnd"], 16), 0)
    t.equal("NoNewPrivs", fields["NoNewPrivs"], "1")
    t.equal("Seccomp", fields["Seccomp"], "2")
    # The same reading says otherwise of a process that gave nothing up.
    own = pathlib.Path("/proc/self/status").read_text()
    t.check("the reading tells the two apart", "NoNewPrivs:\t1" not in own or "Seccomp:\t2" not in own)
