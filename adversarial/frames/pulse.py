"""A measure of the machine, taken beside what a test times."""

import os
import threading
import time


class Pulse:
    """What the machine could do while a test looked at the clock: a thread that wakes every `every_s` seconds, starts
    a program and waits for its end, which is most of what a supervisor does at a deadline.

    `late`: the worst it took beyond its sleep. `beats`: when it woke, in seconds since it began. `share()`: how many
    times longer than alone a computation takes, at least 1."""

    def __init__(self, every_s=0.02):
        self.every_s, self.late, self.beats = every_s, 0.0, []
        self.computed_s, self.took_s = 0.0, 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.began = time.monotonic()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def run(self):
        while not self.over.is_set():
            before = time.monotonic()
            self.over.wait(self.every_s)
            self.beats.append(time.monotonic() - self.began)
            child = os.posix_spawn("/bin/true", ["true"], {})
            try:
                os.waitpid(child, 0)
            except ChildProcessError:
                pass  # a test that adopts orphans waited for it
            if not self.over.is_set():
                self.late = max(self.late, time.monotonic() - before - self.every_s)
            if len(self.beats) % 10 == 0:
                self.compute()

    def compute(self):
        """Ten milliseconds of a processor's time, by the clock of the thread and by that of the wall."""
        began, computed = time.monotonic(), time.thread_time()
        while time.thread_time() - computed < 0.01:
            pass
        self.computed_s += time.thread_time() - computed
        self.took_s += time.monotonic() - began

    def share(self):
        return max(1.0, self.took_s / self.computed_s) if self.computed_s else 1.0
