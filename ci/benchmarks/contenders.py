"""Who is compared: each starts one program in its own way, by the same fork and exec.

Equal isolation means: the same read-only root, the same interpreter, every namespace new, no
capability, no new privileges, a private /tmp of the same size, the very syscall filter that pybox
loads, an empty environment. Limits of memory, processes and CPU are cgroups: bubblewrap cannot set
them, so it is measured without them and with a wrapper that sets the same ones.
"""

import os
import pathlib
import re
import struct
import time

LIMITS = {"memory": 128 << 20, "pids": 32, "cpu_quota_us": 50_000, "cpu_period_us": 100_000}
V2 = pathlib.Path("/sys/fs/cgroup")


def compiled_filter(include_file):
    """The bytes of the filter that boxd loads, from the table it is compiled with."""
    text = pathlib.Path(include_file).read_text()
    table = text[text.index("kFilterWithMemfd[]") : text.index("};")]
    rows = re.findall(r"\{(0x[0-9a-f]+), (\d+), (\d+), (0x[0-9a-f]+)\}", table)
    return b"".join(struct.pack("=HBBI", int(c, 16), int(t), int(f), int(k, 16)) for c, t, f, k in rows)


class Contender:
    name = ""
    adds = ""

    def prepare(self):
        """Work in the parent, before the fork; counted."""

    def become(self, code):
        """In the child: never returns."""
        raise NotImplementedError

    def finish(self):
        """Work in the parent, after the child ended; counted."""


class Bare(Contender):
    """The floor: the image's interpreter with nothing around it. chroot(2) costs microseconds."""

    name = "bare python3 -I"

    def __init__(self, rootfs):
        self.rootfs = str(rootfs)

    def become(self, code):
        os.chroot(self.rootfs)
        os.chdir("/")
        os.execve("/usr/bin/python3", ["python3", "-I", "-c", code], {})


class Pybox(Contender):
    name = "pybox exec --engine native"

    def __init__(self, pybox, home):
        self.pybox, self.home = str(pybox), str(home)

    def become(self, code):
        os.execve(self.pybox, [self.pybox, "exec", "--engine", "native", "--quiet", "--timeout", "20", "-c", code],
                  {"HOME": self.home, "PATH": "/usr/bin:/bin", "PYBOX_HOME": self.home})


class Bubblewrap(Contender):
    name = "bwrap, no cgroup limits"

    def __init__(self, rootfs, filter_bytes):
        self.rootfs = str(rootfs)
        self.filter_fd = os.memfd_create("filter", 0)
        os.write(self.filter_fd, filter_bytes)

    def words(self, code):
        return ["bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--die-with-parent",
                "--new-session", "--ro-bind", self.rootfs, "/", "--proc", "/proc", "--dev", "/dev",
                "--size", str(32 << 20), "--tmpfs", "/tmp", "--clearenv", "--setenv", "PATH", "/usr/bin",
                "--cap-drop", "ALL", "--chdir", "/tmp", "--seccomp", str(self.filter_fd),
                "/usr/bin/python3", "-I", "-c", code]

    def become(self, code):
        os.lseek(self.filter_fd, 0, os.SEEK_SET)
        os.set_inheritable(self.filter_fd, True)
        os.execve("/usr/bin/bwrap", self.words(code), {})


class Cgroup:
    """A fresh cgroup with the image's limits, the cheap way: the child moves itself."""

    made = 0

    def __init__(self):
        self.v2 = (V2 / "cgroup.controllers").exists()
        self.folders = []

    def make(self):
        Cgroup.made += 1
        name = f"bench-{os.getpid()}-{Cgroup.made}"
        if self.v2:
            folder = V2 / name
            folder.mkdir()
            for file, value in (("memory.max", LIMITS["memory"]), ("memory.swap.max", 0), ("pids.max", LIMITS["pids"]),
                                ("cpu.max", f"{LIMITS['cpu_quota_us']} {LIMITS['cpu_period_us']}")):
                _write(folder / file, value)
            self.folders = [folder]
            return
        self.folders = [V2 / kind / name for kind in ("memory", "pids", "cpu")]
        for folder in self.folders:
            folder.mkdir()
        memory, pids, cpu = self.folders
        _write(memory / "memory.limit_in_bytes", LIMITS["memory"])
        _write(pids / "pids.max", LIMITS["pids"])
        _write(cpu / "cpu.cfs_period_us", LIMITS["cpu_period_us"])
        _write(cpu / "cpu.cfs_quota_us", LIMITS["cpu_quota_us"])

    def enter(self):
        for folder in self.folders:
            _write(folder / ("cgroup.procs" if self.v2 else "tasks"), 0)

    def remove(self):
        """bwrap returns before the last process of its pid namespace is reaped: the removal waits for it."""
        end = time.monotonic() + 5
        for folder in self.folders:
            while True:
                try:
                    folder.rmdir()
                    break
                except OSError:
                    if time.monotonic() > end:
                        raise
                    os.sched_yield()


def _write(path, value):
    with open(path, "w") as file:
        file.write(str(value))


class BubblewrapLimited(Bubblewrap):
    name = "bwrap with cgroup limits"

    def __init__(self, rootfs, filter_bytes):
        super().__init__(rootfs, filter_bytes)
        self.cgroup = Cgroup()

    def prepare(self):
        self.cgroup.make()

    def become(self, code):
        self.cgroup.enter()
        super().become(code)

    def finish(self):
        self.cgroup.remove()


class CgroupAlone(Contender):
    """What the wrapper itself costs, with the cheapest program there is."""

    name = "the cgroup wrapper alone (/bin/true)"

    def __init__(self):
        self.cgroup = Cgroup()

    def prepare(self):
        self.cgroup.make()

    def become(self, code):
        self.cgroup.enter()
        os.execve("/bin/true", ["true"], {})

    def finish(self):
        self.cgroup.remove()
