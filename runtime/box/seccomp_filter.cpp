#include "box/seccomp_filter.hpp"

#include <linux/audit.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstring>

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

constexpr seccomp_data call(long number, std::uint64_t a0 = 0, std::uint64_t a1 = 0,
                            std::uint64_t a2 = 0) {
  return {static_cast<int>(number), kNative, 0, {a0, a1, a2, 0, 0, 0}};
}

constexpr seccomp_data foreign_call() { return {1, kForeign, 0, {}}; }

constexpr SeccompProbe kProbes[] = {
    {"sec.arch", "32-bit call", foreign_call(), SECCOMP_RET_KILL_PROCESS},
    {"sec.sock", "socket(AF_VSOCK)", call(SYS_socket, 40, SOCK_STREAM), kPerm},
    {"sec.sock", "socket(AF_ALG)", call(SYS_socket, 38, SOCK_SEQPACKET), kPerm},
    {"sec.sock", "socket(AF_NETLINK)", call(SYS_socket, 16, SOCK_RAW), kPerm},
    {"sec.sock", "socket(AF_PACKET)", call(SYS_socket, 17, SOCK_RAW), kPerm},
    {"sec.sock", "socket(AF_INET, SOCK_RAW)", call(SYS_socket, 2, SOCK_RAW, 1), kPerm},
    {"sec.iouring", "io_uring_setup", call(SYS_io_uring_setup), kPerm},
    {"sec.keys", "keyctl", call(SYS_keyctl), kPerm},
    {"sec.ptrace", "ptrace", call(SYS_ptrace), kPerm},
    {"sec.ptrace", "process_vm_readv", call(SYS_process_vm_readv), kPerm},
    {"sec.mount", "mount", call(SYS_mount), kPerm},
    {"sec.mount", "move_mount", call(SYS_move_mount), kPerm},
    {"sec.ns", "unshare", call(SYS_unshare), kPerm},
    {"sec.ns", "clone(CLONE_NEWUSER)", call(SYS_clone, 0x10000000), kPerm},
    {"sec.ns", "clone3", call(SYS_clone3), SECCOMP_RET_ERRNO | ENOSYS},
    {"sec.kmod", "finit_module", call(SYS_finit_module), kPerm},
    {"sec.kmod", "kexec_load", call(SYS_kexec_load), kPerm},
    {"sec.bpf", "bpf", call(SYS_bpf), kPerm},
    {"sec.perf", "perf_event_open", call(SYS_perf_event_open), kPerm},
    {"sec.uffd", "userfaultfd", call(SYS_userfaultfd), kPerm},
    {"sec.time", "clock_settime", call(SYS_clock_settime), kPerm},
    {"sec.memfd", "execveat", call(SYS_execveat), kPerm},
    {"sec.tty", "ioctl(TIOCSTI)", call(SYS_ioctl, 0, 0x5412), kPerm},
    {"sec.tty", "ioctl(TIOCLINUX)", call(SYS_ioctl, 0, 0x10000541cULL), kPerm},
    {"sec.misc", "open_by_handle_at", call(SYS_open_by_handle_at), kPerm},
    {"sec.misc", "personality(READ_IMPLIES_EXEC)", call(SYS_personality, 0x400000), kPerm},
    {"sec.misc", "shmget", call(SYS_shmget), SECCOMP_RET_ERRNO | ENOSYS},
    {"sec.misc", "mq_open", call(SYS_mq_open), SECCOMP_RET_ERRNO | ENOSYS},
};

}  // namespace

std::span<const sock_filter> seccomp_filter(bool memfd) {
  if (memfd) return kFilterWithMemfd;
  return kFilterWithoutMemfd;
}

std::span<const RefusedCall> refused_calls() { return kRefused; }

std::span<const SeccompProbe> seccomp_probes() { return kProbes; }

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
