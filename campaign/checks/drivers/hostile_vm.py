"""A guest whose first process is the program's: root, and none of what PyBox does inside it. Whatever it says over
the link and the console, clients end in time with an answer, the supervisor lives in bounded memory, the log stays
small, and nothing drives a terminal.

The control arm does without what stands in between: it reads the guest's console and link from QEMU itself, as a
supervisor without limits would.
"""

import base64
import json
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import time

import hostile
import invariants
import link
import prelude
from prelude import ASK, end, is_control, scratch

MOST_S = 60
START_S = 240
MOST_MEMORY_KIB = 400_000
# Two files of a mebibyte each; the flood is larger.
MOST_LOG = (2 << 20) + (64 << 10)
# Of what a guest floods: a control needs no more. An emulated serial port is slow.
ENOUGH = 100_000
FLOOD = [("console", (b"\x1b]0;owned\x07\x1b[2J\x9b31m" + b"z" * 980 + b"\n"), 2300), hostile.FAILED]


def place():
    """pybox with campaign-hostile in boxd's place."""
    guest = prelude.program("campaign-hostile")
    if guest is None:
        prelude.unmet("campaign-hostile was not built")
    folder = scratch() / "bin"
    folder.mkdir()
    shutil.copy(ASK["pybox"], folder / "pybox")
    shutil.copy(guest, folder / "boxd")
    return folder / "pybox"


def resident_kib(pid):
    found = re.search(r"^VmHWM:\s+(\d+)", invariants.read(f"/proc/{pid}/status").decode(), re.M)
    return int(found.group(1)) if found else 0


def shows_control(data):
    text = data.decode("utf-8", "replace")
    return any(ord(c) < 32 and c not in "\n\t" or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u202d" for c in text)


class Vm:
    def __init__(self, pybox, home):
        self.pybox, self.home = pybox, home
        started = prelude.pybox("vm", "start", binary=pybox, home=home, patience_s=START_S)
        if started.exit != 0:
            end("no-vm", said=started.said()[-500:])

    def status(self):
        told = prelude.pybox("vm", "status", "--json", binary=self.pybox, home=self.home)
        return json.loads(told.out) if told.exit == 0 else {}

    def ask(self, name, case):
        program = scratch() / "program"
        program.write_text(hostile.told(case))
        done = prelude.pybox("exec", "--engine", "vm", "--timeout", 2, program, binary=self.pybox, home=self.home,
                             patience_s=MOST_S)
        wrong = []
        if done.late:
            wrong.append(f"no end within {MOST_S} s")
        elif done.exit not in (125, 126):
            wrong.append(f"exit code {done.exit}: {done.said()[-150:]!r}")
        if shows_control(done.err):
            wrong.append(f"control characters were shown: {done.err[:120]!r}")
        return [f"{name}: {fault}" for fault in wrong]


def attack(vm):
    wrong = []
    pid = vm.status().get("pid")
    for name, case in {**hostile.CASES, "console-flood": FLOOD}.items():
        wrong += vm.ask(name, [*case, hostile.FAILED])
        if vm.status().get("pid") != pid:
            return wrong + [f"{name}: the supervisor is not the same any more"]
    if resident_kib(pid) > MOST_MEMORY_KIB:
        wrong.append(f"the supervisor took {resident_kib(pid)} KiB")
    wrong += vm.ask("truncated and gone", [*hostile.CUT_SHORT["truncated"], ("end",)])
    # The guest has come to it, so all of the flood is out.
    logs = prelude.pybox("vm", "logs", binary=vm.pybox, home=vm.home)
    if shows_control(logs.out):
        wrong.append("`pybox vm logs` shows control characters")
    size = sum(path.stat().st_size for path in (vm.home / "vm").glob("console.log*"))
    if size > MOST_LOG:
        wrong.append(f"the console's log has {size} bytes")
    return wrong


def without_protection(pybox, home):
    """QEMU as the supervisor starts it, but its console and link are read by a program that trusts."""
    vm = Vm(pybox, home)
    pid = vm.status()["qemu_pid"]
    words = [word.decode() for word in invariants.read(f"/proc/{pid}/cmdline").split(b"\0")[:-1]]
    prelude.pybox("vm", "stop", binary=pybox, home=home)
    ends = {}
    for at, word in enumerate(words):
        found = re.fullmatch(r"socket,id=(\w+),fd=\d+", word)
        if found:
            ours, theirs = socket.socketpair()
            theirs.set_inheritable(True)
            ends[found.group(1)] = ours, theirs
            words[at] = f"socket,id={found.group(1)},fd={theirs.fileno()}"
    words = words[:words.index("-incoming")] if "-incoming" in words else words
    qemu = subprocess.Popen(words, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    try:
        return trusting_host(home, ends)
    finally:
        qemu.kill()
        qemu.wait()


def trusting_host(home, ends):
    channel, console = ends["link"][0], ends["console"][0]
    head, body = link.order(hostile.told(FLOOD), home, 2)
    hello = link.encode(link.HELLO, 0, {"time_ns": time.time_ns(), "resumed": False}, os.urandom(64))
    log, asked, give_up = b"", False, time.monotonic() + START_S
    next_hello = 0.0
    while time.monotonic() < give_up and len(log) <= ENOUGH:
        if not asked and time.monotonic() > next_hello:
            channel.sendall(hello)
            next_hello = time.monotonic() + 2
        for fd in select.select([channel, console], [], [], 0.2)[0]:
            data = fd.recv(1 << 20)
            if not data:
                end("no-guest", said=log[-300:].decode("utf-8", "replace"))
            if fd is console:
                log += data
            elif data and not asked:
                asked = True
                channel.sendall(link.encode(link.RUN, 1, head, body))
    return ["the log holds escape sequences"] if b"\x1b]0;owned" in log else []


def work():
    home = prelude.own_home()
    (home / "run").mkdir(mode=0o700)
    before = invariants.View(home)
    pybox = place()
    if is_control():
        found = without_protection(pybox, home)
        end("reached" if found else "unnoticed", found[0] if found else None, found=found)
    vm = Vm(pybox, home)
    wrong = attack(vm)
    prelude.pybox("vm", "stop", binary=pybox, home=home)
    wrong += invariants.settle(lambda: invariants.no_process(before), 10)
    wrong += invariants.nothing_left(before, home)
    end("reached" if wrong else "held-off", wrong[0] if wrong else None, found=wrong[:30])


prelude.main(work, isolated=True)
