"""The guest's clock: deadlines and times in receipts are only as good as it is."""

import os
import signal
import subprocess
import threading
import time

from harness import VM, test
from test_vm import own_home, qemus
from test_vm_life import start, stop

PROGRAM = "import sys, time; a = time.monotonic(); print('up', flush=True); sys.stdin.read(); print(time.monotonic() - a)"


class Stutter:
    """Lets the QEMUs of a home run for a few milliseconds only, again and again, as a busy host does."""

    def __init__(self, home, seconds):
        self.home, self.end = home, time.monotonic() + seconds
        self.pauses = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def run(self):
        while not self.over.wait(0.01) and time.monotonic() < self.end:
            for pid in qemus(self.home):
                try:
                    os.kill(pid, signal.SIGSTOP)
                    time.sleep(0.03)
                    os.kill(pid, signal.SIGCONT)
                    self.pauses += 1
                except ProcessLookupError:
                    pass


@test("a guest that was held back while it booted has the host's second", engines=VM, timeout_s=400)
def held_back(t):
    home = own_home(t)
    for state in (home / "vm" / "saved").glob("*"):
        state.unlink()
    try:
        with Stutter(home, 12) as stutter:
            run = start(t)
        t.well("vm start", run)
        t.has("it booted", run.errors, "booted")
        t.check("it was held back", stutter.pauses > 20, f"{stutter.pauses} times")
        running = t.start(*t.exec_words("-c", PROGRAM, limit_s=30), stdin=subprocess.PIPE)
        t.equal("the program is up", running.stdout.read(3), b"up\n")
        began = time.monotonic()
        time.sleep(4)
        out, _ = running.communicate(timeout=60)
        passed = time.monotonic() - began
        t.equal("exit code", running.returncode, 0)
        # What the way in and out costs is a part of one side only.
        t.within("guest's seconds for each of the host's", float(out) / passed, 0.7, 1.3)
    finally:
        stop(t)
