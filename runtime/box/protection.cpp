#include "box/protection.hpp"

#include <algorithm>

namespace pybox::box {
namespace {

constexpr std::string_view kNs = "/proc/PID/ns differs from boxd's";
constexpr std::string_view kMounts = "/proc/PID/mountinfo";
constexpr std::string_view kStatus = "/proc/PID/status";
constexpr std::string_view kFilter =
    "the filter read back by ptrace, its verdict on a probe call; else the call made under it";
constexpr std::string_view kLimits = "/proc/PID/limits";
constexpr std::string_view kPolicy = "seccomp_policy.txt, loaded by seccomp(2)";

constexpr Protection kTable[] = {
    {"ns.user", "holding any right over the host", "clone3(CLONE_NEWUSER)", kNs},
    {"ns.pid", "seeing or signalling other processes", "clone3(CLONE_NEWPID)", kNs},
    {"ns.mnt", "changing what is mounted outside, or being changed from there",
     "clone3(CLONE_NEWNS)", kNs},
    {"ns.net", "reaching any network", "clone3(CLONE_NEWNET)", kNs},
    {"ns.ipc", "sharing queues and segments with others", "clone3(CLONE_NEWIPC)", kNs},
    {"ns.uts", "reading or setting the host's name", "clone3(CLONE_NEWUTS)", kNs},
    {"ns.cgroup", "seeing where in the host's cgroups it runs", "unshare(CLONE_NEWCGROUP)", kNs},
    {"fs.pivot", "reaching the old root", "pivot_root(2), old root detached",
     "the exact mount table"},
    {"fs.ro", "changing the system it runs on", "MOUNT_ATTR_RDONLY", kMounts},
    {"fs.nosuid", "gaining rights from set-id files", "MOUNT_ATTR_NOSUID", kMounts},
    {"fs.nodev", "using device nodes it made", "MOUNT_ATTR_NODEV", kMounts},
    {"fs.noexec", "executing files it wrote", "MOUNT_ATTR_NOEXEC", kMounts},
    {"fs.private", "passing mounts in or out", "MS_PRIVATE", kMounts},
    {"fs.mask", "reading the kernel's and other processes' state",
     "proc subset=pid,hidepid=invisible", kMounts},
    {"fs.nosys", "reading hardware and kernel objects", "no sysfs, no cgroupfs", kMounts},
    {"fs.size", "filling the host's memory through /tmp", "tmpfs size=", "statfs of /tmp"},
    {"fs.inodes", "filling the host's memory with empty files",
     "tmpfs nr_inodes=", "statfs of /tmp"},
    {"fs.input", "changing the files it was given", "the keeper's files, 0444, in folders 0555",
     "stat of each"},
    {"fs.minidev", "opening devices", "five devices bound", "/proc/PID/root/dev"},
    {"cred.uid", "acting as a host user", "setresuid(2) to a mapped id that owns nothing", kStatus},
    {"cred.groups", "using a host group's rights", "setgroups(2) to none", kStatus},
    {"cred.caps", "using any capability", "capset(2) to none", kStatus},
    {"cred.bound", "regaining a capability by execve", "PR_CAPBSET_DROP", kStatus},
    {"cred.nnp", "gaining rights by execve", "PR_SET_NO_NEW_PRIVS", kStatus},
    {"cred.userns0", "becoming root in a namespace of its own", "user.max_user_namespaces = 0",
     "the same file, opened in the box and read by boxd"},
    {"sec.arch", "system calls of another ABI, past the filter", kPolicy, kFilter},
    {"sec.sock", "vsock, netlink, raw, packet and crypto sockets", kPolicy, kFilter},
    {"sec.iouring", "opening files and sockets past the filter", kPolicy, kFilter},
    {"sec.keys", "key rings shared across boxes", kPolicy, kFilter},
    {"sec.ptrace", "reading or steering other processes", kPolicy, kFilter},
    {"sec.mount", "changing what is mounted", kPolicy, kFilter},
    {"sec.ns", "making or joining namespaces", kPolicy, kFilter},
    {"sec.kmod", "loading code into the kernel", kPolicy, kFilter},
    {"sec.bpf", "loading programs into the kernel", kPolicy, kFilter},
    {"sec.perf", "reading counters and kernel addresses", kPolicy, kFilter},
    {"sec.uffd", "stalling the kernel at a chosen moment", kPolicy, kFilter},
    {"sec.time", "setting everybody's clock", kPolicy, kFilter},
    {"sec.memfd", "executing memory that has no path", kPolicy, kFilter},
    {"sec.tty", "typing into a terminal", kPolicy, kFilter},
    {"sec.misc", "rare calls that have been holes elsewhere", kPolicy, kFilter},
    {"cg.mem", "using more memory than its share", "memory.max / memory.limit_in_bytes",
     "the same file"},
    {"cg.swap", "using swap instead", "memory.swap.max / memory.memsw.limit_in_bytes",
     "the same file"},
    {"cg.pids", "fork bombs", "pids.max", "the same file"},
    {"cg.cpu", "using more CPU time than its share", "cpu.max / cpu.cfs_quota_us", "the same file"},
    {"cg.kill", "outliving the kill of the box", "cgroup.kill (v2)", "the file can be written"},
    {"rl.nofile", "using up descriptors", "setrlimit(2)", kLimits},
    {"rl.fsize", "writing endless files", "setrlimit(2)", kLimits},
    {"rl.core", "leaving core files", "setrlimit(2)", kLimits},
    {"rl.memlock", "pinning memory", "setrlimit(2)", kLimits},
    {"rl.sigpending", "using up signal queues", "setrlimit(2)", kLimits},
    {"rl.msgq", "using up message queues", "setrlimit(2)", kLimits},
    {"proc.closefds", "using descriptors of PyBox or its caller", "close_range(2)", "/proc/PID/fd"},
    {"proc.cleanenv", "reading variables of PyBox or its caller",
     "an environment of constants; boxd's own is wiped", "/proc/PID/environ"},
    {"proc.setsid", "signalling or reading a terminal's session", "setsid(2)", "/proc/PID/stat"},
    {"proc.cwd", "holding a folder outside", "chdir(2) after the pivot", "/proc/PID/cwd"},
    {"proc.dumpable0", "reading the keeper's memory", "PR_SET_DUMPABLE 0",
     "owner of /proc/KEEPER/environ"},
    {"sup.pidfd", "being mistaken for another process", "a pidfd of the keeper's child",
     "/proc/PID/status PPid"},
    {"sup.initreap", "leaving zombies or outliving the box", "the keeper is PID 1",
     "/proc/PID/status NSpid"},
    {"sup.timer", "running on when PyBox was killed", "timerfd in the keeper",
     "timerfd_gettime by boxd of the keeper's timer"},
    {"sup.outcap", "filling memory and the reader's context with output",
     "the first bytes are kept, the rest is counted and hashed", "boxd's own limits"},
    {"sup.filecap", "filling the host's disk or the reader's context with files",
     "64 files, 8 MiB, 16 KiB of names; the host counts again", "the collector's limits"},
    {"sup.collect", "swapping files and folders while they are read",
     "/tmp/output held by descriptor from before the start, read when every process is dead",
     "fstat of the descriptor"},
    {"sup.escape", "having files outside the box read for it",
     "openat2(RESOLVE_BENEATH, NO_SYMLINKS, NO_MAGICLINKS, NO_XDEV)", "an open of `..`"},
};

}  // namespace

std::span<const Protection> protections() { return kTable; }

const Protection* find_protection(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kTable), std::end(kTable),
                                         [&](const Protection& each) { return each.name == name; });
  return found == std::end(kTable) ? nullptr : found;
}

}  // namespace pybox::box
