"""The life of a VM, the hard parts: damage, leftovers, hangs, interrupted starts, many clients, new images."""

import json
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import time

import homes
import host
from harness import VM, test
from test_vm import own_home, qemus, status

START_S = 250
# Long enough for a hung process to be given up (5 s) and killed.
STOP_S = 30


def start(t, **options):
    return t.pybox("vm", "start", patience_s=START_S, **options)


def stop(t):
    return t.pybox("vm", "stop", patience_s=STOP_S)


def saved(home):
    return sorted(pathlib.Path(home, "vm", "saved").iterdir())


def started_as(t, what, state):
    run = start(t)
    t.well(f"{what}: vm start", run)
    t.equal(f"{what}: how it started", status(t).get("state"), state)
    return run


def processes(home):
    """Living processes of PyBox with this home: supervisor and QEMU."""
    return [pid for pid in host.all_pids() if host.is_alive(pid) and pid != os.getpid()
            and (_has_home(pid, home) or pid in qemus(home))]


def _has_home(pid, home):
    try:
        return f"PYBOX_HOME={home}".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def nothing_left(t, home, patience_s=5.0):
    t.until("no process is left", lambda: not processes(home), patience_s)
    t.equal("files in run/", [p.name for p in pathlib.Path(home, "run").glob("*")], [])


@test("a saved VM is resumed; one that is damaged or does not fit is replaced", engines=VM, timeout_s=600)
def saved_state(t):
    home = own_home(t)
    try:
        started_as(t, "first", "booted")
        stop(t)
        began = time.monotonic()
        started_as(t, "second", "resumed")
        t.within("seconds to resume", time.monotonic() - began, 0, 20)
        t.ended(t.exec("-c", "print(1)"), 0)
        stop(t)
        files = saved(home)
        t.equal("saved states", len(files), 1)
        t.equal("its mode", stat.S_IMODE(files[0].stat().st_mode), 0o600)

        with open(files[0], "r+b") as file:
            file.seek(files[0].stat().st_size // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 1]))
        run = started_as(t, "one bit flipped", "booted")
        t.has("the notice", run.errors, "cannot be used")
        stop(t)

        os.truncate(saved(home)[0], 1000)
        started_as(t, "cut short", "booted")
        t.ended(t.exec("-c", "print(1)"), 0)
        stop(t)

        name = saved(home)[0].name
        config = t.file("home/.config/pybox/config.json", '{"vm_cpus": 1}')
        started_as(t, "another number of processors", "booted")
        t.equal("status says so", status(t).get("cpus"), 1)
        t.equal("saved states", len(saved(home)), 1)
        t.check("it took the old one's place", saved(home)[0].name != name)
        config.unlink()
    finally:
        stop(t)
    nothing_left(t, home)


@test("stale files name nobody, and no foreign process is touched", engines=VM, timeout_s=400)
def stale_files(t):
    home = own_home(t)
    foreign = subprocess.Popen(["sleep", "1000"])
    try:
        run = home / "run"
        for round_name in ("stop", "start"):
            run.mkdir(mode=0o700, exist_ok=True)
            (run / "vm.pid").write_text(f"{foreign.pid}\n")
            dead = socket.socket(socket.AF_UNIX)
            os.chdir(run)  # a socket's name may be too long for its address
            pathlib.Path("vm.sock").unlink(missing_ok=True)
            dead.bind("vm.sock")
            dead.close()
            os.chdir("/")
            t.equal(f"{round_name}: status", status(t).get("running"), False)
            missing = t.exec("-c", "print(1)")
            t.equal(f"{round_name}: exec", missing.exit, 125)
            t.has(f"{round_name}: exec says", missing.errors, "the VM is not running")
            t.equal(f"vm {round_name}", t.pybox("vm", round_name, patience_s=START_S).exit, 0)
            t.check(f"{round_name}: the foreign process lives", foreign.poll() is None)
        t.ended(t.exec("-c", "print(1)"), 0)
        t.equal("vm stop", stop(t).exit, 0)
        t.check("the foreign process lives", foreign.poll() is None)
        nothing_left(t, home)
    finally:
        foreign.kill()
        foreign.wait()
        stop(t)


@test("a QEMU or a supervisor that hangs is reported and can be stopped", engines=VM, timeout_s=400)
def hangs(t):
    home = own_home(t)
    try:
        start(t)
        os.kill(qemus(home)[0], signal.SIGSTOP)
        t.equal("QEMU hangs: status still answers", status(t).get("running"), True)
        t.equal("QEMU hangs: vm stop", stop(t).exit, 0)
        nothing_left(t, home)

        start(t)
        os.kill(status(t)["pid"], signal.SIGSTOP)
        run = t.pybox("vm", "status", patience_s=STOP_S)
        t.equal("supervisor hangs: status", run.exit, 125)
        t.has("supervisor hangs: status says", run.errors, "does not answer")
        run = t.exec("-c", "print(1)", patience_s=STOP_S)
        t.equal("supervisor hangs: exec", run.exit, 125)
        t.receipt(run, outcome__observation="NOT_STARTED", cleanup__status="NOT_ATTEMPTED")
        run = stop(t)
        t.equal("supervisor hangs: vm stop", run.exit, 0)
        t.has("supervisor hangs: vm stop says", run.errors, "was killed")
        nothing_left(t, home)
    finally:
        stop(t)


@test("a start that is killed leaves nothing and does not spoil the next", engines=VM, timeout_s=600)
def killed_start(t):
    home = own_home(t)
    try:
        # While it boots, and once there is a state, while it resumes.
        for what, moments in (("boot", (0.02, 0.3, 1.5)), ("resume", (0.01, 0.05, 0.15, 0.4))):
            for moment in moments:
                starter = t.start("vm", "start")
                time.sleep(moment)
                starter.kill()
                starter.communicate()
                # A resume may have been quicker; then it is a VM like any other.
                if not status(t).get("running"):
                    t.until(f"{what}, {moment} s: nothing is left", lambda: not processes(home), 30.0)
                stop(t)
                nothing_left(t, home)
            if what == "boot":
                t.well("vm start", start(t))
                t.equal("vm stop", stop(t).exit, 0)
        t.well("vm start", start(t))
        t.ended(t.exec("-c", "print(1)"), 0)
    finally:
        stop(t)
    nothing_left(t, home)


@test("many clients at once get each their own output", engines=VM, timeout_s=200)
def many_clients(t):
    runs = []
    for number in range(6):
        nonce = t.nonce()
        code = f"import time\nprint('{nonce}', flush=True)\ntime.sleep(0.5)\nprint(open(0).read())"
        receipt = t.folder / f"receipt-{number}.json"
        runs.append((nonce, receipt, t.start(*t.exec_words("-c", code, receipt=receipt), stdin=subprocess.PIPE)))
    for nonce, _, run in runs:
        run.stdin.write(f"in-{nonce}".encode())
        run.stdin.flush()
    for nonce, receipt, run in runs:
        out, _ = run.communicate(timeout=120)
        t.equal("exit code", run.returncode, 0)
        t.equal("output", out.decode().split(), [nonce, f"in-{nonce}"])
        t.equal("cleanup", json.loads(receipt.read_text())["cleanup"]["status"], "REMOVED")


@test("an image made while the VM runs is plugged in", engines=VM, timeout_s=300)
def plugged_in(t):
    home = own_home(t)
    try:
        t.well("vm start", start(t))
        t.ended(t.exec("-c", "import antigravity_of_this_test"), 1)
        image = _changed_image(t, home)
        run = t.exec("-c", "import antigravity_of_this_test as a; print(a.word)")
        t.ended(run, 0)
        t.equal("the program sees the new file", run.text, "new\n")
        t.equal("the receipt names the new image", run.get("request.image_id"), image)
        t.equal("images of the VM", len(status(t)["images"]), 2)
        t.ended(t.exec("-c", "print(1)"), 0)
        log = t.pybox("vm", "logs").text
        t.check("logs are safe for a terminal", all(c >= " " or c in "\n\t" for c in log), repr(log[:200]))
    finally:
        stop(t)
    nothing_left(t, home)


def _changed_image(t, home):
    """Replaces the home's image by one with a module more, as another build would; returns its ID."""
    old, new = homes.image_of(home), home / "images" / ".new"
    shutil.copytree(old, new, symlinks=True)
    folder = new / "rootfs/usr/lib/python3.13"
    folder.chmod(0o755)
    module = folder / "antigravity_of_this_test.py"
    module.write_text("word = 'new'\n")
    module.chmod(0o444)
    folder.chmod(0o555)
    text = homes.tree_list(new / "rootfs")
    (new / "image.erofs").unlink()
    subprocess.run(["mkfs.erofs", "-x-1", "--all-root", new / "image.erofs", new / "rootfs"], check=True,
                   capture_output=True)
    record = homes.manifest(new)
    record["id"] = homes.image_id(text)
    record["tree"]["entries"] = text.count("\n")
    record["erofs"] |= {"sha256": homes.sha256_of(new / "image.erofs"),
                        "bytes": (new / "image.erofs").stat().st_size}
    for name, content in (("tree.list", text), ("manifest.json", json.dumps(record, indent=1) + "\n")):
        (new / name).unlink()
        (new / name).write_text(content)
    old.rename(home / "images" / ".old")
    new.rename(old)
    return record["id"]


@test("an ordinary user starts, uses and stops the VM", engines=VM, timeout_s=300)
def ordinary_user(t):
    home = t.folder / "pybox"
    shutil.copytree(t.setting.home, home, symlinks=True,
                    ignore=shutil.ignore_patterns("run", "receipts", "saved", "cache", "kvm-failed", "*.lock"))
    uid = os.getuid() or 54321
    words = []
    if os.getuid() == 0:
        words = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        t.folder.chmod(0o711)
        for folder, folders, files in os.walk(home):
            for name in [".", *folders, *files]:
                os.lchown(os.path.join(folder, name), uid, uid)
    user_home = t.folder / "user"
    user_home.mkdir()
    os.chown(user_home, uid, uid if os.getuid() == 0 else -1)
    environment = {**t.environment(), "HOME": str(user_home), "PYBOX_HOME": str(home)}

    def run(*given):
        return subprocess.run([*words, str(t.setting.pybox), *given], env=environment, cwd="/", timeout=START_S,
                              capture_output=True, stdin=subprocess.DEVNULL)

    try:
        done = run("vm", "start")
        t.equal("vm start", done.returncode, 0)
        t.check("vm start said how", b"tcg" in done.stderr or b"kvm" in done.stderr, repr(done.stderr[-300:]))
        t.equal("QEMU's user", {os.stat(f"/proc/{pid}").st_uid for pid in qemus(home)}, {uid})
        done = run("exec", "--engine", "vm", "--timeout", "20", "-c", "print('hello')")
        t.equal("output", done.stdout, b"hello\n")
        t.equal("exit code", done.returncode, 0)
    finally:
        done = run("vm", "stop")
    t.equal("vm stop", done.returncode, 0)
    nothing_left(t, home)


@test("what is missing for a VM is named, with what mends it: exit 125", engines=VM)
def missing(t):
    empty = t.folder / "empty"
    t.home = empty
    run = t.pybox("vm", "start")
    t.equal("no kernel: exit code", run.exit, 125)
    t.has("no kernel: hint", run.errors, "pybox setup")
    home = own_home(t)
    shutil.move(home / "images", home / "elsewhere")
    run = t.pybox("vm", "start")
    t.equal("no image: exit code", run.exit, 125)
    t.has("no image: hint", run.errors, "pybox setup")
    run = t.pybox("vm", "start", env={"PYBOX_VM_ACCELERATOR": "magic"})
    t.equal("unknown accelerator: exit code", run.exit, 2)
    t.has("unknown accelerator: message", run.errors, "must be auto, kvm or tcg")
    nothing_left(t, home)
