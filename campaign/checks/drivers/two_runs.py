"""What one run could tell another, or inherits from whoever started PyBox. The control arm lets the two meet where
nothing is between them (two processes of this host, a file handed on) and must be called `reached`."""

import json
import os
import secrets
import signal
import subprocess
import sys

import prelude
from prelude import ASK, end, is_control, scratch

IMAGE_FILE = "/usr/bin/env"
HOLD = "import fcntl, time; f = open({path!r}); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep({s})"
TRY = ("import fcntl\ntry: fcntl.flock(open({path!r}), fcntl.LOCK_EX | fcntl.LOCK_NB); print('free')\n"
       "except BlockingIOError: print('taken')")
WATCH = ("import ctypes, os, select\nlibc = ctypes.CDLL(None)\nfd = libc.inotify_init()\n"
         "assert libc.inotify_add_watch(fd, {path!r}.encode(), 0x20) >= 0\nprint('held', flush=True)\n"
         "print('seen' if select.select([fd], [], [], {s})[0] else 'nothing', flush=True)")
LEAVE = "for p in ('/tmp/x', '/dev/shm/x', '/tmp/home/x'): open(p, 'w').write({nonce!r})"
LOOK = ("import os\nfor top in ('/tmp', '/dev/shm'):\n    for folder, _, names in os.walk(top):\n        for name in names:\n"
        "            if name != 'main.py': print(open(os.path.join(folder, name)).read())")
STATUS = ("import json, os\nstatus = dict(line.rstrip('\\n').split(':\\t', 1) for line in open('/proc/self/status') if ':\\t' in line)\n"
          "print(json.dumps([status['SigBlk'], status['SigIgn'], os.umask(0)]))")
FLAGS = "import sys; print(sys.flags.isolated, sorted(name for name in sys.modules if name.endswith('customize')))"


def start(code, seconds=20):
    """In a box, or for the control on this host."""
    if is_control():
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return prelude.start("exec", "--engine", ASK["engine"], "--timeout", seconds, "--quiet", "-c", code)


def said(code, **options):
    if is_control():
        return subprocess.run([sys.executable, "-c", code], capture_output=True, **options).stdout.decode().strip()
    return prelude.run(code, **options).out.decode().strip()


def shared():
    """A file that both can open: of the image, or for the control of this host."""
    if not is_control():
        return IMAGE_FILE
    (scratch() / "shared").write_text("x")
    return str(scratch() / "shared")


def hold_s():
    return 6 if ASK["engine"] == "native" else 15


def with_other(hold, meanwhile, wait):
    """What the second says while the first holds, and the last word of the first."""
    first = start(hold, hold_s() + 10)
    if first.stdout.readline() != b"held\n":
        end("not held", first.communicate()[1].decode(errors="replace")[-300:])
    second = said(meanwhile)
    if not wait:
        first.terminate()
    return second, first.communicate()[0].decode().strip()


def lock():
    path = shared()
    answer, _ = with_other(HOLD.format(path=path, s=hold_s()), TRY.format(path=path), wait=False)
    end({"taken": "reached", "free": "free"}.get(answer, answer or "silent"))


def watch():
    path = shared()
    _, answer = with_other(WATCH.format(path=path, s=hold_s()), f"open({path!r}, 'rb').read(1)", wait=True)
    end({"seen": "reached"}.get(answer, answer or "silent"))


def reuse():
    nonce, words = secrets.token_hex(16), []
    prelude.run(LEAVE.format(nonce=nonce))
    if is_control():
        (scratch() / "x").write_text(nonce)
        words = ["--input", scratch() / "x"]
    done = prelude.run(LOOK, *words)
    if done.exit != 0:
        end("failed", done.said()[-300:])
    end("reached" if nonce in done.out.decode() else "absent")


def signals():
    """Started by somebody who blocks and ignores signals and has an open umask."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    os.umask(0)
    blocked, ignored, umask = json.loads(said(STATUS))
    inherited = int(blocked, 16) or int(ignored, 16) & 1 << (signal.SIGUSR2 - 1) or umask == 0
    end("reached" if inherited else "defaults", [blocked, ignored, umask])


def startup():
    """A sitecustomize in a folder that PYTHONPATH names."""
    (scratch() / "sitecustomize.py").write_text("print('ran at start-up')\n")
    variables = {"PYTHONPATH": str(scratch()), "PYTHONSTARTUP": str(scratch() / "sitecustomize.py")}
    answer = said(FLAGS, env={**os.environ, **variables} if is_control() else variables)
    end("reached" if "ran at start-up" in answer else "isolated" if answer.startswith("1 ") else "not isolated", answer)


prelude.main(lambda: {"lock": lock, "watch": watch, "reuse": reuse, "signals": signals, "startup": startup}[ASK["args"]["what"]]())
