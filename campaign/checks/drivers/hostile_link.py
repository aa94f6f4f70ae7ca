"""A hostile boxd talks to the client: whatever it says, pybox ends in time with an answer of its own, in bounded
memory, and shows nothing that drives a terminal. The control arm puts a client that trusts in pybox's place."""

import concurrent.futures
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import hostile
import invariants
import prelude
from prelude import ASK, end, is_control, scratch

LIMIT_S = 1
# A client that was told of a start gives up at limit + 2 s, and 8 s later for good.
MOST_S = 25
MOST_MEMORY = 600 << 20
TRUSTING = """
import json, os, socket, struct, subprocess, sys
ours, theirs = socket.socketpair()
os.set_inheritable(theirs.fileno(), True)
boxd = subprocess.Popen([sys.argv[1], "--link", str(theirs.fileno()), "--state", "/"], close_fds=False)
theirs.close()
ours.sendall(bytes.fromhex(sys.argv[2]))
header = ours.recv(32, socket.MSG_WAITALL)
head, body = struct.unpack("<II", header[16:24])
room = bytearray(head + body)
got = ours.recv_into(room, len(room), socket.MSG_WAITALL)
json.loads(room[:head])
os.write(1, room[:head])
sys.exit(0)
"""


def place():
    """A pybox with a hostile boxd beside it."""
    folder = scratch() / "bin"
    folder.mkdir()
    shutil.copy(ASK["pybox"], folder / "pybox")
    here = pathlib.Path(hostile.__file__).resolve().parent
    (folder / "boxd").write_text(f"#!{sys.executable} -B\nimport sys\nsys.path.insert(0, {str(here)!r})\n"
                                 f"sys.argv[0] = {hostile.__file__!r}\n"
                                 f"exec(compile(open(sys.argv[0]).read(), sys.argv[0], 'exec'))\n")
    (folder / "boxd").chmod(0o755)
    return folder


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ask(folder, home, name):
    """What is wrong with how the client took this case."""
    began = time.monotonic()
    if is_control():
        import link
        head, body = link.order(f"#{name}", home, LIMIT_S)
        words = [sys.executable, "-c", TRUSTING, str(folder / "boxd"), link.encode(link.RUN, 1, head, body).hex()]
    else:
        words = [str(folder / "pybox"), "exec", "--engine", "native", "--timeout", str(LIMIT_S), "-c", f"#{name}"]
    client = subprocess.Popen(words, env=prelude.environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, preexec_fn=bounded)
    done = prelude.finish(client, began, MOST_S)
    wrong = []
    if done.late:
        wrong.append(f"no end within {MOST_S} s")
    elif done.exit not in (125, 126):
        wrong.append(f"exit code {done.exit}: {done.said()[-150:]!r}")
    if any(byte < 32 and byte != 10 or byte in (0x9B,) and done.err[at - 1] == 0xC2 for at, byte in enumerate(done.err)):
        wrong.append(f"control characters were shown: {done.err[:100]!r}")
    if "\u202e" in done.said():
        wrong.append("a change of writing direction was shown")
    return [f"{name}: {fault}" for fault in wrong]


def work():
    folder, home = place(), prelude.own_home()
    before = invariants.View(home)
    names = ASK["args"].get("only") or list({**hostile.CASES, **hostile.CUT_SHORT})
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        wrong = [fault for faults in pool.map(lambda name: ask(folder, home, name), names) for fault in faults]
    left = invariants.settle(lambda: invariants.no_process(before), 5)
    torn = invariants.receipts_whole(home)
    wrong += left + torn
    if is_control():
        end("reached" if wrong else "unnoticed", wrong[0] if wrong else None, found=wrong[:30])
    wrong += invariants.starts_again(home, engine="native")
    end("reached" if wrong else "held-off", wrong[0] if wrong else None, found=wrong[:30], cases=len(names))


prelude.main(work, isolated=True)
