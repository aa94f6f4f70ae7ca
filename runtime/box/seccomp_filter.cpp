#include "box/seccomp_filter.hpp"

#include <linux/audit.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <tuple>

#include "box/messages.hpp"

namespace pybox::box {
namespace {

#include "box/seccomp_filter.inc"

#if defined(__x86_64__)
constexpr std::uint32_t kNative = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kForeign = AUDIT_ARCH_I386;
#elif defined(__aarch64__)
constexpr std::uint32_t kNative = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kForeign = AUDIT_ARCH_ARM;
#else
#error "no seccomp policy for this architecture"
#endif

constexpr std::uint32_t kPerm = SECCOMP_RET_ERRNO | EPERM;

constexpr std::uint64_t kNone = ~0ULL;  ///< no descriptor, no flag, no command

constexpr seccomp_data call(long number, std::uint64_t a0 = 0, std::uint64_t a1 = 0,
                            std::uint64_t a2 = 0, std::uint64_t a3 = 0, std::uint64_t a4 = 0) {
  return {static_cast<int>(number), kNative, 0, {a0, a1, a2, a3, a4, 0}};
}

constexpr seccomp_data foreign_call() { return {1, kForeign, 0, {}}; }

/// The kernel itself says EPERM to a process without capabilities before it looks at anything else,
/// or the filter kills: making the call tells nothing.
constexpr bool kNotTold = false;

/// The arguments are such that the kernel, where it is asked at all, refuses them for another
/// reason or has nothing to do.
constexpr SeccompProbe kProbes[] = {
    {"sec.arch", "32-bit call", foreign_call(), SECCOMP_RET_KILL_PROCESS, kNotTold},
    {"sec.sock", "socket(AF_VSOCK)", call(SYS_socket, 40, SOCK_STREAM), kPerm},
    {"sec.sock", "socket(AF_ALG)", call(SYS_socket, 38, SOCK_SEQPACKET), kPerm},
    {"sec.sock", "socket(AF_NETLINK)", call(SYS_socket, 16, SOCK_RAW), kPerm},
    {"sec.sock", "socket(AF_PACKET)", call(SYS_socket, 17, 15), kPerm},
    {"sec.sock", "socket(AF_INET, SOCK_RAW)", call(SYS_socket, 2, SOCK_RAW, 100000), kPerm},
    {"sec.iouring", "io_uring_setup", call(SYS_io_uring_setup), kPerm},
    {"sec.keys", "keyctl", call(SYS_keyctl, kNone), kPerm},
    {"sec.ptrace", "ptrace", call(SYS_ptrace, kNone), kPerm},
    {"sec.ptrace", "process_vm_readv", call(SYS_process_vm_readv), kPerm},
    {"sec.mount", "mount", call(SYS_mount), kPerm},
    {"sec.mount", "move_mount", call(SYS_move_mount), kPerm, kNotTold},
    {"sec.ns", "unshare", call(SYS_unshare), kPerm},
    {"sec.ns", "clone(CLONE_NEWUSER)", call(SYS_clone, CLONE_NEWUSER | CLONE_FS), kPerm},
    {"sec.ns", "clone3", call(SYS_clone3), SECCOMP_RET_ERRNO | ENOSYS},
    {"sec.kmod", "finit_module", call(SYS_finit_module), kPerm, kNotTold},
    {"sec.kmod", "kexec_load", call(SYS_kexec_load), kPerm, kNotTold},
#ifdef SYS_query_module
    {"sec.kmod", "query_module", call(SYS_query_module), kPerm},
#endif
    {"sec.bpf", "bpf", call(SYS_bpf, kNone, 0, 1U << 20U), kPerm},
    {"sec.perf", "perf_event_open", call(SYS_perf_event_open, 0, 0, 0, 0, kNone), kPerm},
    {"sec.uffd", "userfaultfd", call(SYS_userfaultfd, 0x40000001), kPerm},
    {"sec.time", "clock_settime", call(SYS_clock_settime, 0x7fff), kPerm},
    {"sec.memfd", "execveat", call(SYS_execveat, kNone), kPerm},
    {"sec.tty", "ioctl(TIOCSTI)", call(SYS_ioctl, kNone, 0x5412), kPerm},
    {"sec.tty", "ioctl(TIOCLINUX)", call(SYS_ioctl, kNone, 0x10000541cULL), kPerm},
    {"sec.misc", "open_by_handle_at", call(SYS_open_by_handle_at), kPerm, kNotTold},
    {"sec.misc", "name_to_handle_at", call(SYS_name_to_handle_at, kNone, 0, 0, 0, kNone), kPerm},
    // Where nothing refuses it, it changes what the program then runs with.
    {"sec.misc", "personality(READ_IMPLIES_EXEC)", call(SYS_personality, 0x400000), kPerm,
     kNotTold},
    {"sec.misc", "shmget", call(SYS_shmget), SECCOMP_RET_ERRNO | ENOSYS},
    {"sec.misc", "mq_open", call(SYS_mq_open), SECCOMP_RET_ERRNO | ENOSYS},
};
static_assert(std::size(kProbes) <= std::tuple_size_v<decltype(Message::text)>,
              "an answer for each goes into one message");

}  // namespace

std::span<const sock_filter> seccomp_filter(bool memfd) {
  if (memfd) return kFilterWithMemfd;
  return kFilterWithoutMemfd;
}

std::span<const RefusedCall> refused_calls() { return kRefused; }

std::span<const SeccompProbe> seccomp_probes() { return kProbes; }

void try_probes(std::span<char> answers) {
  std::size_t at = 0;
  for (const SeccompProbe& probe : kProbes) {
    if (at == answers.size()) return;
    char& answer = answers[at++];
    if (!probe.told) continue;
    const auto& args = probe.call.args;
    const long made =
        ::syscall(probe.call.nr, args[0], args[1], args[2], args[3], args[4], args[5]);
    answer = made < 0 ? static_cast<char>(errno) : '\0';
    if (made >= 0 && probe.call.nr == SYS_socket) ::close(static_cast<int>(made));
  }
}

std::string verdict_name(std::uint32_t verdict) {
  switch (verdict & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW: return "allow";
    case SECCOMP_RET_ERRNO: {
      const char* name = strerrorname_np(static_cast<int>(verdict & SECCOMP_RET_DATA));
      return name != nullptr ? name : "errno";
    }
    default: return "kill";
  }
}

std::uint32_t verdict(std::span<const sock_filter> filter, const seccomp_data& call) {
  // The kernel's own rules for such programs (kernel/seccomp.c, seccomp_check_filter): forward
  // jumps, word loads inside seccomp_data, and a return at the end. Only what libseccomp emits is
  // handled; anything else counts as a kill, so an unknown program never passes a probe.
  std::array<char, sizeof(seccomp_data)> data{};
  std::memcpy(data.data(), &call, sizeof(call));
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < filter.size(); ++at) {
    const sock_filter& step = filter[at];
    bool taken = false;
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (step.k + sizeof(accumulator) > data.size()) return SECCOMP_RET_KILL_PROCESS;
        std::memcpy(&accumulator, data.data() + step.k, sizeof(accumulator));
        continue;
      case BPF_ALU | BPF_AND | BPF_K: accumulator &= step.k; continue;
      case BPF_JMP | BPF_JA: at += step.k; continue;
      case BPF_JMP | BPF_JEQ | BPF_K: taken = accumulator == step.k; break;
      case BPF_JMP | BPF_JGT | BPF_K: taken = accumulator > step.k; break;
      case BPF_JMP | BPF_JGE | BPF_K: taken = accumulator >= step.k; break;
      case BPF_RET | BPF_K: return step.k;
      default: return SECCOMP_RET_KILL_PROCESS;
    }
    at += taken ? step.jt : step.jf;
  }
  return SECCOMP_RET_KILL_PROCESS;
}

}  // namespace pybox::box
