"""Lets system calls of pybox, boxd, the keeper and the box fail, one at a time: the Nth of a kind in each process,
until no fault fires any more. Every run must end in time with a typed error or a right result: no process of PyBox
dies of a signal, nothing is left, nothing is half-written.

args: {"sample": how many of all (call, error, N), "seed": text} or {"all": true} by hand; {"calls": [names]}.
The control arm does the same to a writer that does not look at what write(2) returns.
"""

import concurrent.futures
import json
import random
import re
import shutil
import subprocess
import sys

import invariants
import prelude
from prelude import ASK, end, is_control, scratch

WORKERS = 4
LIMIT_S = 3
MOST_S = 60
# How many of each kind the busiest process makes in one run, rounded up: where a sweep over N may stop looking.
CALLS = {
    "write": (["ENOSPC", "EIO", "EINTR"], 24), "read": (["EIO", "EINTR"], 40), "openat": (["EMFILE", "ENOMEM", "EIO"], 60),
    "fsync": (["EIO", "ENOSPC"], 3), "linkat": (["ENOSPC", "EIO"], 3), "rename": (["ENOSPC", "EIO"], 3),
    "mkdir": (["ENOSPC", "EIO"], 8), "mkdirat": (["ENOSPC"], 8), "clone3": (["EAGAIN", "ENOMEM"], 3),
    "unshare": (["ENOSPC", "ENOMEM"], 3), "fsopen": (["ENOMEM", "EMFILE"], 6), "fsconfig": (["ENOMEM", "EINVAL"], 22),
    "fsmount": (["ENOMEM", "EMFILE"], 6), "move_mount": (["ENOMEM", "EINVAL"], 12), "open_tree": (["EMFILE", "ENOMEM"], 9),
    "mount_setattr": (["EINVAL"], 8), "umount2": (["EBUSY"], 3), "pivot_root": (["EINVAL"], 2), "chdir": (["EIO"], 4),
    "socketpair": (["EMFILE", "ENFILE"], 6), "pipe2": (["EMFILE", "ENFILE"], 5), "fcntl": (["EMFILE", "EINVAL"], 24),
    "sendmsg": (["ENOBUFS", "EINTR", "EPIPE"], 8), "recvmsg": (["ENOBUFS", "EINTR"], 6), "ppoll": (["EINTR", "ENOMEM"], 24),
    "poll": (["EINTR", "ENOMEM"], 8), "timerfd_create": (["EMFILE"], 2), "timerfd_settime": (["EINVAL"], 3),
    "signalfd4": (["EMFILE"], 3), "setresuid": (["EAGAIN", "EPERM"], 4), "setgroups": (["ENOMEM"], 3),
    "capset": (["EPERM"], 3), "prctl": (["EINVAL", "EPERM"], 50), "seccomp": (["EINVAL", "ENOMEM"], 2),
    "execve": (["ENOMEM", "EIO"], 3), "setsid": (["EPERM"], 3), "pidfd_open": (["EMFILE"], 4), "waitid": (["EINTR"], 3),
    "getdents64": (["EIO"], 12), "newfstatat": (["EIO", "ENOMEM"], 40), "pread64": (["EIO", "EINTR"], 16),
    "rmdir": (["EBUSY"], 8), "ioctl": (["EIO"], 8), "mmap": (["ENOMEM"], 24), "getrandom": (["EINTR"], 8),
    "fchown": (["EPERM", "EIO"], 4), "dup2": (["EINTR"], 6), "close_range": (["ENOMEM"], 4), "ftruncate": (["EIO"], 2),
    "pidfd_send_signal": (["EPERM"], 3), "setsockopt": (["ENOMEM"], 3), "symlinkat": (["ENOSPC"], 5),
}
CRASHES = ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSYS", "SIGPIPE")
CARELESS = """import os, sys
f = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
for part in (b'{"receipt_id": ', b'"0123"', b'}'):
    try: os.write(f, part)
    except OSError: pass
"""


class Attempt:
    """One run with one fault."""

    def __init__(self, number, fault):
        self.number, self.fault = number, fault
        self.home = prelude.own_home(f"home-{number % WORKERS}")
        self.wrong = []
        self.fired = False

    def run(self):
        call, error, nth = self.fault
        self.log = scratch() / f"trace-{self.number}"
        word = prelude.secrets.token_hex(8)
        out = scratch() / f"out-{self.number}"
        code = f"open('/tmp/output/a', 'w').write('a' * 4000); print({word!r})"
        words = ["strace", "-f", "-qq", "-o", self.log, "-e", f"trace={call},execve", "-e", f"inject={call}:error={error}:when={nth}"]
        if is_control():
            (self.home / "receipts").mkdir(exist_ok=True)
            words += [sys.executable, "-c", CARELESS, self.home / "receipts" / "0123.json"]
        else:
            words += [ASK["pybox"], "exec", "--engine", "native", "--timeout", LIMIT_S, "--output", out, "-c", code]
        began = prelude.time.monotonic()
        process = subprocess.Popen([str(each) for each in words], env=prelude.environment(self.home), cwd=scratch(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        done = prelude.finish(process, began, MOST_S)
        text = invariants.read(self.log).decode("utf-8", "replace")
        self.fired = "(INJECTED)" in text
        self.judge(done, text, word, out)
        self.log.unlink(missing_ok=True)
        shutil.rmtree(out, ignore_errors=True)

    def judge(self, done, text, word, out):
        if done.late:
            self.wrong.append(f"no end within {MOST_S} s")
        elif done.exit < 0:
            self.wrong.append(f"pybox died of signal {-done.exit}")
        elif done.exit == 0 and not is_control():
            if word.encode() not in done.out:
                self.wrong.append("exit code 0 without the output")
            whole = (out / "a").exists() and (out / "a").read_text() == "a" * 4000
            # A file that could not be collected does not change the program's exit code; it is said.
            told = re.search(rb"no transfer received|left behind", done.err)
            if not whole and ((out / "a").exists() or not told):
                self.wrong.append(f"exit code 0 without the file: {done.said()[-200:]!r}")
        elif done.exit in (125, 126) and b"error:" not in done.err and 'write(2, "error:' not in text:
            self.wrong.append(f"exit code {done.exit} and no word why: {done.said()[-200:]!r}")
        python = set(re.findall(r'^(\d+) +execve\("/usr/bin/python3"', text, re.M))
        for pid, name in re.findall(r"^(\d+) +\+\+\+ killed by (\w+)", text, re.M):
            if pid not in python and name in CRASHES:
                self.wrong.append(f"a process of PyBox died of {name}")

    def said(self):
        return [f"{':'.join(map(str, self.fault))}: {fault}" for fault in self.wrong]


def chosen():
    calls = {name: CALLS[name] for name in ASK["args"].get("calls", CALLS)}
    every = [(call, error, nth) for call, (errors, most) in calls.items() for error in errors
             for nth in range(1, most + 1)]
    if is_control():
        return [("write", "ENOSPC", 2), ("write", "EIO", 3)]
    if ASK["args"].get("all"):
        return every
    seed = ASK["args"].get("seed", ASK["nonce"])
    # Each kind of call at least once, early ones first: most of a run's calls come early.
    picked = random.Random(seed)
    return [(call, picked.choice(errors), picked.randint(1, max(1, most // 2)))
            for call, (errors, most) in calls.items()][:ASK["args"].get("sample", len(calls))]


def in_lane(lane):
    """A lane's attempts one after the other in one home, with a look at what is left now and then."""
    for number, attempt in enumerate(lane, 1):
        attempt.run()
        if attempt.wrong or number % 8 == 0 or number == len(lane):
            if not is_control():
                attempt.wrong += invariants.starts_again(attempt.home, engine="native", times=1)
            attempt.wrong += invariants.receipts_whole(attempt.home)


def work():
    if shutil.which("strace") is None:
        prelude.unmet("strace is not installed (ci/setup --tests installs it)")
    attempts = [Attempt(number, fault) for number, fault in enumerate(chosen())]
    homes = [prelude.own_home(f"home-{number}") for number in range(WORKERS)]
    if not is_control():
        for home in homes:
            prelude.run("pass", home=home, engine="native")
    views = [invariants.View(home) for home in homes]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(in_lane, [attempts[lane::WORKERS] for lane in range(WORKERS)]))
    wrong = [fault for attempt in attempts for fault in attempt.said()]
    wrong += invariants.settle(lambda: invariants.no_process(views[0]), 10)
    if not is_control():
        wrong += invariants.starts_again(homes[0], engine="native", times=1)
    for home, view in zip(homes, views):
        wrong += invariants.settle(lambda: invariants.nothing_left(view, home), 3)
    fired = sum(attempt.fired for attempt in attempts)
    if fired < len(attempts) // 4:
        end("no-faults", fired=fired, attempts=len(attempts))
    end("reached" if wrong else "borne", wrong[0] if wrong else None, found=wrong[:60], fired=fired,
        attempts=len(attempts), seed=ASK["args"].get("seed", ASK["nonce"]))


prelude.main(work, isolated=True)
