"""The command itself: what it prints, which code it ends with, what it takes as program and input."""

import os
import pathlib
import pty
import signal
import subprocess
import time

from harness import ALL, NATIVE, NO_ENGINE, Pulse, test

RECEIPT_KEYS = {
    "schema_version", "receipt_id", "created_at", "pybox_version", "request", "host", "seal", "outcome",
    "kernel", "capture", "files", "timing", "cleanup", "denied", "hints", "notes", "signature"}


# First of all: in the guest no run has prepared the cgroups yet.
@test("pybox doctor changes nothing", engines=NATIVE)
def doctor_changes_nothing(t):
    top = pathlib.Path("/sys/fs/cgroup")
    own = next((line[3:] for line in pathlib.Path("/proc/self/cgroup").read_text().split() if line.startswith("0::")), "/")
    above = [top / own.lstrip("/"), *(top / own.lstrip("/")).parents]

    def state():
        files = sorted(str(p.relative_to(t.home)) for p in t.home.rglob("*"))
        enabled = {str(p): (p / "cgroup.subtree_control").read_text() for p in above
                   if (p / "cgroup.subtree_control").exists()}
        leaves = [str(p) for p in above if (p / "pybox-callers").exists()]
        return files, enabled, leaves, pathlib.Path("/proc/self/cgroup").read_text()

    t.home = t.folder / "state"
    t.home.mkdir(mode=0o700)
    before = state()
    for words in (["doctor"], ["doctor", "--json"]):
        run = t.pybox(*words)
        t.check("exit code", run.exit in (0, 125), f"got {run.exit}: {run.errors[-200:]}")
        t.equal("home, cgroups and our place among them", state(), before)


@test("prints hello")
def hello(t):
    word = t.nonce()
    limit = 20 if t.slow else None
    run = t.exec("-c", f"print('{word}')", limit_s=limit)
    t.ended(run, 0)
    t.equal("stdout", run.text, word + "\n")
    t.receipt(run, schema_version=1, request__engine=t.engine, outcome__exit_code=0, outcome__signal=None,
              outcome__deadline_fired=False, outcome__box_timer_fired=False, outcome__stop_requests=0,
              outcome__out_of_memory=False, request__image="stdlib", request__timeout_s=limit or 2,
              capture__stdout__text=word + "\n", capture__trust="untrusted")


@test("checks that rest on PyBox's own word are named and counted apart")
def own_word(t):
    run = t.exec("-c", "pass")
    t.ended(run, 0)
    checks = run.get("seal.checks", [])
    own = {c["name"] for c in checks if c["method"].startswith("by construction")}
    t.check("which", {"sup.initreap", "sup.outcap"} <= own <= {"sup.initreap", "sup.outcap", "sec.arch"}, str(own))
    t.has("summary", run.errors, f"{len(checks)} checks held before start, {len(own)} of them by construction\n")
    filtered = [c["method"] for c in checks if c["name"].startswith("sec.") and c["name"] not in own]
    how = "calls made in PID" if "sec.arch" in own else "filter of PID read back"
    t.check("how the filter was checked", filtered and all(m.startswith(how) for m in filtered), str(filtered))


@test("a receipt has every key")
def receipt_keys(t):
    run = t.exec("-c", "print(1)")
    t.ended(run, 0)
    t.equal("keys", set(run.receipt or {}), RECEIPT_KEYS)
    t.check("every seal check is ok", all(c["ok"] for c in run.get("seal.checks", [])), str(run.get("seal.checks")))
    t.within("number of seal checks", len(run.get("seal.checks", [])), 20, 200)
    names = [c["name"] for c in run.get("seal.checks", [])]
    for name in ("ns.pid", "ns.net", "ns.mnt", "fs.pivot", "fs.ro", "cred.uid", "cred.caps", "cred.nnp",
                 "sec.arch", "sec.sock", "cg.mem", "cg.pids", "cg.cpu", "rl.nofile", "proc.closefds"):
        t.has("names of the seal checks", names, name)
    for stage in ("prepare", "seal", "start", "run", "cleanup", "total"):
        t.within(f"timing.{stage} in ms", run.get(f"timing.{stage}"), 0, 60_000)


@test("the summary on stderr says how it ended, and --quiet drops it")
def summary(t):
    run = t.exec("-c", "print(1)")
    for part in ("exit code 0", "sealed", "removed"):
        t.has("summary", run.errors.lower(), part)
    quiet = t.exec("--quiet", "-c", "import sys; print('e', file=sys.stderr)")
    t.equal("stderr with --quiet", quiet.errors, "e\n")


@test("--json puts the receipt on stdout and the output inside it")
def json_mode(t):
    import json
    word = t.nonce()
    run = t.exec("--json", "-c", f"print('{word}')")
    printed = json.loads(run.out)
    t.equal("output inside", printed["capture"]["stdout"]["text"], word + "\n")
    t.equal("the same receipt as --receipt wrote", printed, run.receipt)


@test("an exit code is the program's own, whatever the number")
def own_codes(t):
    for code in (0, 1, 2, 3, 124, 125, 126, 127, 128, 130, 137, 143, 255):
        run = t.exec("-c", f"import os; os._exit({code})")
        t.ended(run, code)
        t.receipt(run, outcome__exit_code=code, outcome__signal=None, outcome__deadline_fired=False)


@test("the program may come from standard input")
def from_stdin(t):
    run = t.exec("-", stdin=b"import sys\nprint('from stdin', sys.argv, repr(sys.stdin.read()))\n")
    t.ended(run, 0)
    t.has("stdout", run.text, "from stdin")
    t.has("an empty input is left for it", run.text, "''")


@test("options after the program are pybox's until the first other word")
def option_order(t):
    program = t.file("p.py", "import sys; print(sys.argv[1:])")
    run = t.pybox("exec", program, "--engine", t.engine, "--timeout", "20", "--quiet", "x", "--timeout", "9")
    t.equal("exit code", run.exit, 0)
    t.equal("arguments", run.text, "['x', '--timeout', '9']\n")
    run = t.pybox("exec", program, "--engine", t.engine, "--quiet", "--", "--engine", "docker")
    t.equal("arguments after --", run.text, "['--engine', 'docker']\n")
    run = t.pybox("exec", program, "--engine", t.engine, "--no-such-option")
    t.equal("an unknown option is wrong usage", run.exit, 2)


@test("arguments that are too long are refused by name, long ones arrive")
def long_arguments(t):
    program = t.file("p.py", "import sys; print(sum(map(len, sys.argv[1:])))")
    run = t.exec(program, *["x" * 100_000] * 5)
    t.ended(run, 0)
    t.equal("characters that arrived", run.text, "500000\n")
    run = t.exec(program, *["x" * 100_000] * 12)
    t.equal("exit code", run.exit, 126)
    t.has("message", run.errors, "arguments")


@test("input of any size and kind reaches the program")
def stdin_bytes(t):
    data = bytes(range(256)) * 8192
    run = t.exec("-c", "import sys,hashlib; b=sys.stdin.buffer.read(); print(len(b), hashlib.sha256(b).hexdigest())",
                 stdin=data)
    import hashlib
    t.ended(run, 0)
    t.equal("what arrived", run.text, f"{len(data)} {hashlib.sha256(data).hexdigest()}\n")
    given = t.file("given", "3 4\n")
    run = t.exec("--stdin", given, "-c", "print(sum(map(int, input().split())))")
    t.equal("--stdin FILE", run.text, "7\n")


@test("a program that never reads its input is not held up")
def stdin_unread(t):
    run = t.exec("-c", "print('bye')", stdin=b"x" * (10 << 20))
    t.ended(run, 0)
    t.equal("stdout", run.text, "bye\n")


@test("output comes while the program runs")
def streaming(t):
    running = t.start(*t.exec_words("-c", "import time; print('first', flush=True); time.sleep(1.5); print('second')"))
    with Pulse() as pulse:
        first = running.stdout.read(6)
        arrived = time.monotonic()
        rest, _ = running.communicate(timeout=60)
        before_the_end = time.monotonic() - arrived
    t.equal("first", first, b"first\n")
    t.equal("second", rest, b"second\n")
    t.check("the first came before the end", before_the_end > 1 - pulse.late, f"{before_the_end:.2f} s")
    t.equal("exit code", running.returncode, 0)


@test("output is cut at a whole character, and counted")
def cut(t):
    run = t.exec("-c", "print('a' * 65535 + '\\u00e9' * 10)")
    t.ended(run, 0)
    t.receipt(run, capture__stdout__truncated=True, capture__stdout__text="a" * 65535,
              capture__stdout__bytes_total=65535 + 20 + 1)


@test("a terminal is shown control characters as text")
def terminal(t):
    leader, follower = pty.openpty()
    running = t.start(*t.exec_words("--quiet", "-c", "print('a\\x1b[2Jb\\x07c')"), stdout=follower, stderr=follower)
    os.close(follower)
    running.wait(timeout=60)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    t.lacks("raw escape", shown, b"\x1b[2J")
    t.lacks("raw bell", shown, b"\x07")
    t.has("the text around it", shown, b"a")
    t.has("the escape made visible", shown, b"x1b")


@test("Ctrl-C ends the run with 130 and leaves nothing running")
def interrupt(t):
    running = t.start(*t.exec_words("-c", "import time; print('up', flush=True); time.sleep(30)"))
    running.stdout.read(3)
    with Pulse() as pulse:
        running.send_signal(signal.SIGINT)
        began = time.monotonic()
        running.communicate(timeout=30)
        took = time.monotonic() - began
    t.equal("exit code", running.returncode, 130)
    t.soon("seconds to the end", took, 5, pulse)
    t.check("a receipt was written", (t.folder / "receipt.json").exists())


@test("a caller's odd signal settings and descriptors do not disturb a run", engines=NATIVE)
def odd_caller(t):
    def odd():
        for number in (signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()))

    words = [str(t.setting.pybox), *t.exec_words("-c", "raise SystemExit(7)")]
    done = subprocess.run(words, env=t.environment(), preexec_fn=odd, capture_output=True, timeout=60)
    t.equal("ignored SIGCHLD and a full signal mask", done.returncode, 7)
    done = subprocess.run(["/bin/sh", "-c", '"$@" <&- >&- 2>&-', "-", *words], env=t.environment(), timeout=60)
    t.equal("closed standard descriptors", done.returncode, 7)


@test("wrong words end with 2 and say what is meant", engines=NO_ENGINE)
def usage(t):
    for words, part in (((), ""), (("exce", "-c", "1"), "exec"), (("exec",), ""), (("exec", "--timeout", "x", "-c", "1"), "timeout"),
                        (("exec", "--engine", "nativ", "-c", "1"), "native"), (("vm", "strat"), "start"),
                        (("exec", "-c", "1", "--tiemout", "3"), "timeout")):
        run = t.pybox(*words)
        t.equal(f"exit code of {words}", run.exit, 2)
        t.has(f"stderr of {words}", run.errors, part)
        t.equal(f"stdout of {words}", run.text, "")


@test("what is refused ends with 126 and a receipt, and nothing runs", engines=ALL)
def refused(t):
    for words in (("--timeout", "31", "-c", "1"), ("--timeout", "0", "-c", "1"), ("--timeout", "-1", "-c", "1"),
                  ("--timeout", "nan", "-c", "1"), ("--timeout", "1e99", "-c", "1"),
                  ("--image", "no-such-image", "-c", "1"), ("--python", "2.7", "-c", "1")):
        run = t.exec(*words, limit_s=None)
        t.check(f"exit code of {words}", run.exit in (126, 2), f"got {run.exit}: {run.errors[-200:]}")
        if run.exit == 126:
            t.receipt(run, outcome__observation="NOT_STARTED", cleanup__status="NOT_ATTEMPTED",
                      seal__verified=False, outcome__exit_code=None)
    run = t.exec("--timeout", "31", "-c", "1", limit_s=None)
    t.equal("above the ceiling", run.exit, 126)


@test("a missing program file is wrong usage and is named", engines=NO_ENGINE)
def missing_file(t):
    run = t.pybox("exec", "--engine", "native", t.folder / "absent.py")
    t.check("exit code", run.exit in (2, 126), f"got {run.exit}")
    t.has("stderr", run.errors, "absent.py")


@test("pybox version names the program and its version", engines=NO_ENGINE)
def version(t):
    run = t.pybox("version")
    t.equal("exit code", run.exit, 0)
    t.has("stdout", run.text, "pybox")


@test("pybox doctor says what this host can enforce", engines=NO_ENGINE)
def doctor(t):
    import json
    run = t.pybox("doctor", "--json")
    t.check("exit code", run.exit in (0, 1), f"got {run.exit}: {run.errors[-200:]}")
    t.check("a JSON object", isinstance(json.loads(run.out), dict))
    t.has("the text form", t.pybox("doctor").text.lower(), "cgroup")
