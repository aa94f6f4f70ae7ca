"""A guest or a QEMU that ends by itself while the VM starts: tried again, said aloud, within bounds."""

import os
import pathlib
import signal
import threading
import time

import host
from harness import VM, test
from test_vm import own_home, qemus, status
from test_vm_life import nothing_left, start, stop


class Killer:
    """Kills QEMUs of a home, each once, as soon as `when(pid)` holds; at most `most` of them."""

    def __init__(self, home, most, when=lambda pid: True):
        self.home, self.most, self.when = home, most, when
        self.killed = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(0.005) and len(self.killed) < self.most:
            for pid in qemus(self.home):
                # A zombie has no command line, and is not found again.
                if pid not in self.killed and len(self.killed) < self.most and self.when(pid):
                    os.kill(pid, signal.SIGKILL)
                    self.killed.append(pid)


def resumes(pid):
    return "-incoming" in host.command_line(pid)


@test("a QEMU killed once while it boots, is saved or resumes: the start goes on, says so, and gives nothing up",
      engines=VM, timeout_s=400)
def killed_once(t):
    home = own_home(t)
    remembered = home / "vm" / "kvm-failed"
    remembered.unlink(missing_ok=True)
    try:
        with Killer(home, 1) as booting:
            run = start(t)
        t.well("killed while it boots: vm start", run)
        t.equal("QEMUs killed", len(booting.killed), 1)
        t.has("the notice", run.errors, "the guest did not start (")
        t.equal("how it started", status(t).get("state"), "booted")
        stop(t)
        for state in (home / "vm" / "saved").iterdir():
            state.unlink()

        partial = home / "vm" / "saved" / "partial"
        with Killer(home, 1, lambda pid: partial.exists()) as saving:
            run = start(t)
        t.well("killed while it is saved: vm start", run)
        t.equal("QEMUs killed", len(saving.killed), 1)
        t.has("the notice", run.errors, "trying again")
        names = [file.name for file in (home / "vm" / "saved").iterdir()]
        t.check("one whole state is kept", len(names) == 1 and names[0].endswith(".state"), str(names))
        stop(t)

        with Killer(home, 1, resumes) as resuming:
            run = start(t)
        t.well("killed while it resumes: vm start", run)
        t.equal("QEMUs killed", len(resuming.killed), 1)
        t.has("the notice", run.errors, "the guest did not resume")
        t.equal("how it started", status(t).get("state"), "resumed")
        t.has("the status keeps the notice", " ".join(status(t)["notices"]), "the guest did not resume")
        t.ended(t.exec("-c", "print(1)"), 0)
        t.check("nothing is held against KVM", not remembered.exists())
    finally:
        stop(t)
    nothing_left(t, home)


@test("a guest that ends right after a start is replaced, and a run that waits notices nothing", engines=VM,
      timeout_s=400)
def replaced(t):
    home = own_home(t)
    try:
        t.well("vm start", start(t))
        stop(t)
        t.well("vm start from the saved state", start(t))
        # Its first box takes longer than this.
        victim = qemus(home)[0]
        os.kill(victim, signal.SIGKILL)
        run = t.exec("-c", "print(6 * 7)")
        t.ended(run, 0)
        t.equal("output", run.text, "42\n")
        after = status(t)
        t.has("the status says so", " ".join(after["notices"]), "the guest ended right after its start")
        t.check("another QEMU", qemus(home) not in ([], [victim]), str(qemus(home)))
        t.equal("the status names it", [after["qemu_pid"]], qemus(home))

        os.kill(qemus(home)[0], signal.SIGKILL)
        t.until("later nothing is replaced: the VM is lost", lambda: not status(t).get("running"), 10.0)
        run = t.exec("-c", "print(1)")
        t.equal("a run then: exit code", run.exit, 125)
        t.has("a run then says", run.errors, "the VM is not running")
    finally:
        stop(t)
    nothing_left(t, home)


@test("a QEMU that always ends is one clear error within a bound, and leaves nothing", engines=VM,
      timeout_s=400)
def always_ends(t):
    home = own_home(t)
    programs = t.folder / "programs"
    programs.mkdir()
    broken = programs / "qemu-system-x86_64"
    broken.write_text("#!/bin/sh\necho broken on purpose >&2\nexit 3\n")
    broken.chmod(0o755)
    began = time.monotonic()
    run = t.pybox("vm", "start", env={"PATH": f"{programs}:{os.environ['PATH']}"}, patience_s=100)
    t.within("seconds to the error", time.monotonic() - began, 0, 60)
    t.equal("exit code", run.exit, 125)
    t.equal("errors", run.errors.count("error:"), 1)
    t.has("the error", run.errors.split("error:")[-1], "QEMU ended with code 3, after saying `broken on purpose`")
    t.has("a hint", run.errors, "pybox vm logs")
    nothing_left(t, home)
    try:
        t.well("vm start with a working one", start(t))
        stop(t)
        t.well("vm start from the saved state", start(t))
        with Killer(home, 1000) as killer:
            t.until("a guest that ends again and again is given up", lambda: not status(t).get("running"), 60.0)
        t.check("it was tried again, and not for ever", 3 <= len(killer.killed) <= 30, str(len(killer.killed)))
        stop(t)
        with Killer(home, 1000) as killer:
            run = start(t)
        t.equal("killed each time: exit code", run.exit, 125)
        t.has("killed each time: the error", run.errors.split("error:")[-1], "QEMU was killed by signal 9")
        t.check("killed each time: bounded", len(killer.killed) <= 10, str(len(killer.killed)))
        nothing_left(t, home)
        t.equal("saved states", list(pathlib.Path(home, "vm", "saved").glob("*")), [])
    finally:
        stop(t)
    nothing_left(t, home)
