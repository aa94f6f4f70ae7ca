"""Kills PyBox in the middle of a run, starts it again and looks at one invariant. The control arm does the same
and then breaks that invariant on purpose: a checker that says nothing then has proven nothing."""

import json
import os
import pathlib
import subprocess
import sys
import time

import invariants
import prelude
from prelude import ASK, end, is_control, scratch

LIMIT_S = 1.0
SLEEP = "import time; open('/tmp/input/secret').read(); print('up', flush=True); time.sleep(60)"


class Scene:
    """A home in which a client was killed while its program ran, and which was started again."""

    def __init__(self):
        self.home = prelude.own_home()
        self.secret = prelude.secrets.token_hex(16)
        self.began = time.time()
        self.before = invariants.View(self.home)
        given = scratch() / "secret"
        given.write_text(self.secret)
        self.runs = []
        client = self.client = prelude.start("exec", "--engine", "native", "--timeout", LIMIT_S, "--input", given, "-c",
                                             SLEEP, home=self.home)
        if client.stdout.read(3) != b"up\n":
            end("no-start", said=client.stderr.read().decode("utf-8", "replace")[-300:])
        client.kill()
        client.communicate()
        given.unlink()
        prelude.wait_until(lambda: not invariants.no_process(self.before), LIMIT_S + 3)
        self.runs.append(prelude.run("print(1)", home=self.home, engine="native"))
        self.acknowledged = [run.receipt for run in self.runs if run.receipt]
        prelude.pybox("receipts", home=self.home)  # signs the record of the killed client's run
        # boxd ends a moment after its client.
        invariants.settle(lambda: invariants.nothing_left(self.before, self.home)
                          + invariants.no_process(self.before), 3)


def evidence():
    """A small evidence folder as the campaign writes them."""
    folder = scratch() / "evidence"
    folder.mkdir()
    previous, lines = "0" * 64, []
    for number in range(6):
        event = {"seq": number, "prev": previous, "event": "arm-ended", "check": "a.b", "engine": "native",
                 "arm": "protected", "attempt": number, "nonce": f"{number:032x}"}
        lines.append(json.dumps(event, sort_keys=True, separators=(",", ":")).encode())
        previous = prelude.digest(lines[-1])
    attempts = [{"attempt": number, "nonce": f"{number:032x}"} for number in range(6)]
    report = {"checks": [{"id": "a.b", "engine": "native", "arms": [{"arm": "protected", "attempts": attempts}]}]}
    (folder / "events.jsonl").write_bytes(b"\n".join(lines) + b"\n" + b'{"seq":6,"torn')
    (folder / "campaign.json").write_text(json.dumps(report))
    return folder


def keep_a_process():
    """A process in a cgroup named like a box's, as if a box had outlived its boxd."""
    sleeper = subprocess.Popen(["sleep", "60"])
    name = f"pybox-{os.stat('/proc/self/ns/pid').st_ino}-999999-1-1"
    parents = {os.path.dirname(folder) for folder, _, files in os.walk("/sys/fs/cgroup") if "pids.max" in files}
    parents |= {folder for folder in ("/sys/fs/cgroup/pids",) if os.path.isdir(folder)}
    for parent in sorted(parents, key=len)[:1]:
        folder = pathlib.Path(parent, name)
        folder.mkdir()
        (folder / "cgroup.procs").write_text(str(sleeper.pid))
        return sleeper, folder
    return sleeper, None


def break_processes(scene):
    sleeper, folder = keep_a_process()
    found = invariants.no_process(scene.before)
    sleeper.kill()
    sleeper.wait()
    if folder:
        prelude.wait_until(lambda: not invariants.members(folder), 2)
        folder.rmdir()
    return found if len(found) == (2 if folder else 1) else []


def break_host(scene):
    """One of each kind is left; each must be named."""
    place = scene.home / "left"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=True)
    sleeper, folder = keep_a_process()
    fake = subprocess.Popen(["bash", "-c", "exec -a qemu-system-left sleep 60"])
    listener = invariants_socket(scene.home / "left.sock")
    (scene.home / "receipts" / ".half.json.abc").write_text("{")
    time.sleep(0.1)
    found = invariants.nothing_left(scene.before, scene.home)
    for process in (sleeper, fake):
        process.kill()
        process.wait()
    listener.close()
    if folder:
        prelude.wait_until(lambda: not invariants.members(folder), 2)
        folder.rmdir()
    subprocess.run(["umount", place], check=True)
    kinds = {word.split()[0] for word in found}
    return found if kinds >= {"mount", "socket", "file", "process"} | ({"cgroup"} if folder else set()) else []


def invariants_socket(path):
    import socket
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    return listener


def break_receipts(scene):
    """One bit of a receipt that was handed out."""
    kept = invariants.receipts(scene.home)
    path = kept[scene.acknowledged[0]["receipt_id"]]
    text = bytearray(path.read_bytes())
    at = text.index(b"TARGET_EXIT") + 3
    text[at] ^= 1
    path.write_bytes(text)
    found = invariants.receipts_whole(scene.home, scene.acknowledged)
    path.unlink()
    gone = invariants.receipts_whole(scene.home, scene.acknowledged)
    return found + gone if len(found) == 2 and gone else []


def break_chain(folder):
    """A line cut out, and two exchanged."""
    path = folder / "events.jsonl"
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(lines[:2] + lines[3:]))
    cut = invariants.chain_holds(folder)
    path.write_bytes(b"\n".join([lines[0], lines[2], lines[1], *lines[3:]]))
    return cut if cut and invariants.chain_holds(folder) else []


def break_claims(folder):
    path = folder / "campaign.json"
    report = json.loads(path.read_text())
    report["checks"][0]["arms"][0]["attempts"].append({"attempt": 9, "nonce": "f" * 32})
    path.write_text(json.dumps(report))
    return invariants.claims_no_more(folder)


def break_start(scene):
    (scene.home / "images").unlink()
    return invariants.starts_again(scene.home, times=1)


def break_secrecy(scene):
    (scene.home / "receipts" / ".half.json.abc").write_text(f"code: {scene.secret}\n")
    return invariants.no_secret(scene.home, scene.secret, scene.began)


def break_answers(_):
    """A client that never ends."""
    began = time.monotonic()
    silent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    return invariants.answered([prelude.finish(silent, began, 0.5)], 5)


LOOK = {
    "I1": (lambda scene: invariants.no_process(scene.before), break_processes),
    "I2": (lambda scene: invariants.nothing_left(scene.before, scene.home), break_host),
    "I3": (lambda scene: invariants.receipts_whole(scene.home, scene.acknowledged), break_receipts),
    "I6": (lambda scene: invariants.starts_again(scene.home, engine="native"), break_start),
    "I7": (lambda scene: invariants.no_secret(scene.home, scene.secret, scene.began), break_secrecy),
    "I8": (lambda scene: invariants.answered(scene.runs, 15), break_answers),
}
LOOK_AT_EVIDENCE = {
    "I4": (invariants.chain_holds, break_chain),
    "I5": (invariants.claims_no_more, break_claims),
}


def work():
    name = ASK["args"]["invariant"]
    look, break_it = LOOK.get(name) or LOOK_AT_EVIDENCE[name]
    what = Scene() if name in LOOK else evidence()
    found = look(what)
    if found:
        end("reached" if not is_control() else "dirty", found[0], found=found[:20])
    if not is_control():
        end("clean")
    found = break_it(what)
    end("reached" if found else "unnoticed", found[0] if found else None, found=found[:20])


prelude.main(work, isolated=True)
