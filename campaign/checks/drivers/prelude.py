"""What every driver begins with: the runner's object, the one line of answer, a process space of its own, and
running PyBox in it.

A driver is a function of no arguments, handed to `main`. Beside others' boxes nothing could be observed, so
`main(work, isolated=True)` runs it in new pid and mount namespaces: every process in there is the driver's,
boxd names its cgroups after the pid namespace, and the end of the namespace ends whatever was left.
"""

import errno
import hashlib
import json
import os
import pathlib
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time

# The runner's object; filled by main().
ASK = {}
# Whether /tmp is this driver's own.
OWN_TMP = False
# Patience for one run of pybox beyond its time limit; an emulated guest on a busy host is slow.
PATIENCE_S = 60


class Answer(Exception):
    """Raised by end(): unwinds the driver, so that its `finally` clauses clean up first."""

    def __init__(self, signature, proof, detail):
        super().__init__(signature)
        self.line = {"nonce": ASK["nonce"], "signature": signature, "proof": proof, "detail": detail}


def end(signature, proof=None, **detail):
    """Says in one word what was seen and ends the driver."""
    raise Answer(signature, proof, detail)


def unmet(reason):
    end("unmet", reason=reason)


def is_control():
    return ASK["arm"] == "control"


def program(name):
    """A program of the build that is tested; None when it was not built."""
    beside = pathlib.Path(ASK["pybox"]).resolve().parent
    for candidate in (beside / name, beside.parent / "libexec" / "pybox" / name):
        if candidate.exists():
            return candidate
    return None


def source():
    """The source tree, for the case sets that stand there."""
    if not ASK.get("source"):
        unmet("the source tree is not there: the case sets are read from it")
    return pathlib.Path(ASK["source"])


def scratch():
    folder = pathlib.Path(ASK["scratch"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder


# ---- a process space of its own -------------------------------------------------------------------------

_INSIDE = "PYBOX_DRIVER_INSIDE"


def _enter_namespaces():
    """Starts this driver again as a child of the first process of new namespaces; does not return."""
    if os.geteuid() != 0:
        print(json.dumps({"nonce": ASK["nonce"], "signature": "unmet", "proof": None,
                          "detail": {"reason": "namespaces of its own need root"}}))
        raise SystemExit(0)
    words = ["unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "--propagation", "private",
             sys.executable, "-B", os.path.abspath(sys.argv[0])]
    environment = {**os.environ, _INSIDE: json.dumps(ASK)}
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL)
    raise SystemExit(done.returncode)


def _reap_until_driver_ends():
    """The first process of the pid namespace only reaps; its child goes on as the driver."""
    driver = os.fork()
    if driver == 0:
        return
    while True:
        pid, status = os.wait()
        if pid == driver:
            _leave_nothing()
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _leave_nothing():
    """Ends what the driver has left, and removes the groups of its boxes: they are named after this pid namespace,
    and a later boxd of another one lets them be."""
    try:
        os.kill(-1, signal.SIGKILL)
        while True:
            os.wait()
    except (ProcessLookupError, ChildProcessError):
        pass
    name = f"pybox-{os.stat('/proc/self/ns/pid').st_ino}-*"
    groups = pathlib.Path("/sys/fs/cgroup")
    for folder in [*groups.glob(name), *groups.glob(f"*/{name}")]:
        for _ in range(200):
            try:
                folder.rmdir()
                break
            except OSError:
                time.sleep(0.01)


def _own_places():
    """/dev/shm is empty, and so is /tmp unless something that is needed stands in it."""
    global OWN_TMP
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], check=True)
    needed = [ASK[key] for key in ("pybox", "home", "scratch", "source") if ASK.get(key)] + [sys.argv[0]]
    if not any(os.path.realpath(path).startswith("/tmp/") for path in needed):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/tmp"], check=True)
        OWN_TMP = True


def _end_with_the_campaign():
    """A campaign that is killed takes its driver along, and what the driver has started: all of it is one process
    group, the driver's, which ends every one that waits to be read or fed."""
    if os.getpgrp() != os.getpid():
        return  # started by hand
    watched = os.pidfd_open(os.getppid())
    if os.fork() != 0:
        os.close(watched)
        return
    for stream in (0, 1, 2):
        os.close(stream)
    select.select([watched], [], [])
    os.killpg(0, signal.SIGKILL)


def main(work, isolated=False):
    inside = os.environ.pop(_INSIDE, None)
    if not inside:
        _end_with_the_campaign()
    ASK.update(json.loads(inside) if inside else json.load(sys.stdin))
    if isolated and not inside:
        _enter_namespaces()
    if inside:
        _reap_until_driver_ends()
        _own_places()
    try:
        work()
    except Answer as answer:
        print(json.dumps(answer.line), flush=True)


# ---- running PyBox --------------------------------------------------------------------------------------

def environment(home=None, **more):
    """Nothing of the caller's environment reaches pybox but PATH."""
    user = scratch() / "user"
    user.mkdir(exist_ok=True)
    kept = {key: os.environ[key] for key in ("PATH", "PYBOX_VM_ACCELERATOR") if key in os.environ}
    return {**kept, "HOME": str(user), "PYBOX_HOME": str(home or ASK["home"]), **more}


def start(*words, home=None, binary=None, env=None, **options):
    """Starts pybox and leaves it running."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([str(binary or ASK["pybox"]), *[str(word) for word in words]],
                            env={**environment(home), **(env or {})}, cwd=scratch(), **{**streams, **options})


class Run:
    """How one `pybox` ended. `late` is true when it had to be killed after its patience."""

    def __init__(self, exit_code, out, err, wall_s, late=False):
        self.exit, self.out, self.err, self.wall_s, self.late = exit_code, out, err, wall_s, late
        self.receipt = None

    def said(self):
        return self.err.decode("utf-8", "replace")


def finish(process, began, patience_s=PATIENCE_S):
    """Waits for a started pybox; one that does not end is killed and `late`."""
    try:
        out, err = process.communicate(timeout=patience_s)
        return Run(process.returncode, out, err, time.monotonic() - began)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return Run(process.returncode, out, err, time.monotonic() - began, late=True)


def pybox(*words, patience_s=PATIENCE_S, **options):
    began = time.monotonic()
    return finish(start(*words, **options), began, patience_s)


def run(code, *words, limit_s=20, engine=None, **options):
    """`pybox exec` of a text, with its receipt; `receipt` is None when none was written."""
    place = scratch() / f"receipt-{secrets.token_hex(4)}.json"
    done = pybox("exec", "--engine", engine or ASK["engine"], "--timeout", limit_s, "--receipt", place, *words,
                 "-c", code, patience_s=limit_s + PATIENCE_S, **options)
    if place.exists():
        done.receipt = json.loads(place.read_bytes())
        place.unlink()
    return done


def own_home(name="home"):
    """A PYBOX_HOME of the driver's own whose images and kernel are those of the given one."""
    home = scratch() / name
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder in ("images", "cache"):
        if not (home / folder).exists() and pathlib.Path(ASK["home"], folder).exists():
            (home / folder).symlink_to(pathlib.Path(ASK["home"], folder))
    for folder in ("vm", "keys"):
        if not (home / folder).exists() and pathlib.Path(ASK["home"], folder).exists():
            shutil.copytree(pathlib.Path(ASK["home"], folder), home / folder, symlinks=True,
                            ignore=shutil.ignore_patterns("*.lock", "*.log", "saved", ".*"))
            (home / folder).chmod(0o700)
    return home


def wait_until(condition, patience_s, every_s=0.02):
    """True as soon as it holds, false when it did not within the patience."""
    give_up = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > give_up:
            return False
        time.sleep(every_s)
    return True


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def name_of(number):
    return errno.errorcode.get(number, f"errno {number}")


def digest(data):
    return hashlib.sha256(data).hexdigest()
