#pragma once
/// The compiled filter (seccomp_policy.txt) and what it says to a given call. `verdict` interprets
/// the filter's own instructions, so a probe's answer comes from the bytes that are in force, not
/// from the table they were made of.

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pybox::box {

/// `memfd`: whether memfd_create is allowed. It is only where the pid namespace refuses to execute
/// such files (vm.memfd_noexec = 2, Linux 6.3).
std::span<const sock_filter> seccomp_filter(bool memfd);

/// The calls that a sec.* protection refuses, wholly or for some arguments.
struct RefusedCall {
  const char* protection;
  int number;
};
std::span<const RefusedCall> refused_calls();

/// The filter's return value (SECCOMP_RET_…) for one call; KILL_PROCESS for a malformed program.
std::uint32_t verdict(std::span<const sock_filter> filter, const seccomp_data& call);

/// A call that a protection must refuse.
struct SeccompProbe {
  const char* protection;  ///< "sec.sock"
  const char* shown;       ///< "socket(AF_VSOCK)"
  seccomp_data call;
  std::uint32_t expected;
  /// Whether a process without any right that makes this very call can tell the filter's answer
  /// from the kernel's own, and does no harm where the filter lets it through.
  bool told = true;
};
/// At least one probe for every sec.* protection.
std::span<const SeccompProbe> seccomp_probes();
/// Makes the call of each probe that is told, in order: its errno, or 0 when it went through, goes
/// to its place in `answers`; the others' stay. Async-signal-safe.
void try_probes(std::span<char> answers);

/// "EPERM", "ENOSYS", "allow", "kill".
std::string verdict_name(std::uint32_t verdict);

}  // namespace pybox::box
