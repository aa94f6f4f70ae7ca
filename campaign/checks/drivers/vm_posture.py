"""QEMU as the kernel shows it: what it may still do when a guest has taken it over. Read from /proc of the VM that
runs in the given home.

args["what"]: "sandbox" (its filter of system calls), "network" (no network or vsock device, no socket but Unix ones, no tap),
"share" (no folder of the host in the guest), "files" (no descriptor but its disks, read-only, and its ends), "rights" (no
capability, no way to one, no environment, no core file).
The control arm looks at a QEMU that is started without what the check is about.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import prelude
from prelude import ASK, end, is_control, scratch

# What the control's QEMU has that PyBox's must not have.
OPEN = {
    "sandbox": [],
    "rights": [],
    "network": ["-netdev", "user,id=n0,hostfwd=tcp:127.0.0.1:0-:22", "-device", "virtio-net-pci,netdev=n0"],
    "share": ["-fsdev", "local,id=f0,path={scratch},security_model=none", "-device", "virtio-9p-pci,fsdev=f0,mount_tag=t"],
    "files": ["-drive", "file={scratch}/disk,if=virtio,format=raw"],
}
ENDS = re.compile(r"^(socket|pipe):|^anon_inode:|^/memfd:|^/dev/(null|kvm|urandom)$")


def read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return b""


def descriptors(pid):
    """{number: (where it leads, flags)}"""
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            flags = re.search(rb"flags:\s+(\d+)", read(f"/proc/{pid}/fdinfo/{number}"))
            found[int(number)] = (os.readlink(f"/proc/{pid}/fd/{number}"), int(flags.group(1), 8) if flags else 0)
        except OSError:
            continue
    return found


def words(pid):
    return read(f"/proc/{pid}/cmdline").decode("utf-8", "replace").split("\0")


def sandbox(pid):
    status = dict(line.split(":\t", 1) for line in read(f"/proc/{pid}/status").decode().splitlines() if ":\t" in line)
    threads = [read(f"/proc/{pid}/task/{task}/status").decode() for task in os.listdir(f"/proc/{pid}/task")]
    wrong = [f"Seccomp of a thread is {re.search(r'Seccomp:.*', text).group(0)}" for text in threads
             if not re.search(r"^Seccomp:\s+2$", text, re.M)]
    if status.get("NoNewPrivs") != "1":
        wrong.append("it may gain rights by execve")
    return wrong


def network(pid):
    inodes = {where[8:-1] for where, _ in descriptors(pid).values() if where.startswith("socket:[")}
    wrong = []
    for family in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6", "packet"):
        for line in read(f"/proc/{pid}/net/{family}").decode().splitlines()[1:]:
            if inodes & set(line.split()):
                wrong.append(f"a {family} socket is open")
    wrong += [f"a tap device is open: {where}" for where, _ in descriptors(pid).values() if "/dev/net" in where]
    wrong += [f"a network device: {word}" for word in words(pid) if re.search(r"virtio-net|e1000|rtl8139|^-netdev", word)]
    wrong += [f"a vsock device: {word}" for word in words(pid) if "vsock" in word]
    return wrong + [f"{where} is open" for where, _ in descriptors(pid).values() if "vsock" in where]


def share(pid):
    return [f"a folder is shared: {word}" for word in words(pid) if re.search(r"9p|virtiofs|fsdev|vhost-user-fs", word)]


def files(pid):
    wrong = []
    for where, flags in descriptors(pid).values():
        if ENDS.match(where) or " (deleted)" in where and "/memfd:" in where:
            continue
        if flags & os.O_ACCMODE == os.O_RDONLY and ("/images/" in where or "/vm/" in where):
            continue
        wrong.append(f"{where} is open{' for writing' if flags & os.O_ACCMODE else ''}")
    return wrong


def rights(pid):
    wrong = []
    for task in os.listdir(f"/proc/{pid}/task"):
        status = read(f"/proc/{pid}/task/{task}/status").decode()
        held = re.findall(r"^(Cap(?:Inh|Prm|Eff|Amb)):\s+0*([1-9a-f][0-9a-f]*)$", status, re.M)
        wrong += [f"{name} of a thread is {value}" for name, value in held]
        if not re.search(r"^NoNewPrivs:\s+1$", status, re.M):
            wrong.append("a thread may gain rights by execve")
        if re.search(r"^Uid:\s+0\b", status, re.M) and not re.search(r"^CapBnd:\s+0+$", status, re.M):
            wrong.append("a thread of root's may regain capabilities")
    environment = read(f"/proc/{pid}/environ").strip(b"\0")
    if environment:
        wrong.append(f"its environment has {environment.count(bytes(1)) + 1} entries")
    if not re.search(r"^Max core file size\s+0\s+0\s", read(f"/proc/{pid}/limits").decode(), re.M):
        wrong.append("it may write a core file with the guest's memory")
    return sorted(set(wrong))


LOOK = {"sandbox": sandbox, "rights": rights, "network": network, "share": share, "files": files}


def open_qemu(what):
    (scratch() / "disk").write_bytes(b"\0" * 65536)
    extra = [word.format(scratch=scratch()) for word in OPEN[what]]
    qemu = shutil.which("qemu-system-x86_64") or prelude.unmet("there is no qemu-system-x86_64")
    process = subprocess.Popen([qemu, "-nodefaults", "-no-user-config", "-display", "none", "-accel", "tcg", "-m", "64",
                                "-S", *extra], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    time.sleep(2)
    if process.poll() is not None:
        prelude.unmet(f"the control's QEMU does not start: {process.stderr.read().decode()[-200:]}")
    return process


def work():
    what = ASK["args"]["what"]
    if is_control():
        process = open_qemu(what)
        try:
            found = LOOK[what](process.pid)
        finally:
            process.kill()
            process.wait()
        end("reached" if found else "unnoticed", found[0] if found else None, found=found)
    told = prelude.pybox("vm", "status", "--json")
    if told.exit != 0:
        end("no-vm", said=told.said()[-300:])
    pid = json.loads(told.out).get("qemu_pid")
    if not pid:
        end("no-vm", said="the VM is not running")
    found = LOOK[what](pid)
    end("reached" if found else "closed", found[0] if found else None, found=found)


prelude.main(work)
