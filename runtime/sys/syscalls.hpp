#pragma once
/// System calls that glibc 2.36 lacks or declares without C linkage (its <sys/pidfd.h> cannot be
/// linked from C++). Raw: they return -1 and set errno.

#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace pybox::sys {

inline int pidfd_open(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)); }

inline int pidfd_send_signal(int pidfd, int number) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, number, nullptr, 0U));
}

/// man 2 clone3. Like fork(2): returns twice. The child of a process with threads may call only
/// async-signal-safe functions.
inline pid_t clone3(clone_args& args) {
  return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof(args)));
}

/// man 2 openat2. `resolve`: RESOLVE_… of <linux/openat2.h>.
inline int openat2(int folder, const char* path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof(how)));
}

}  // namespace pybox::sys
