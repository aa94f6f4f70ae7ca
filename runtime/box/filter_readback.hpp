#pragma once
/// Reads the system call filter of a process back from the kernel.

#include <linux/filter.h>
#include <sys/types.h>

#include <vector>

#include "base/result.hpp"

namespace pybox::box {

/// PTRACE_SECCOMP_GET_FILTER (man 2 ptrace, Linux 4.4): needs CAP_SYS_ADMIN and a kernel with
/// CONFIG_CHECKPOINT_RESTORE. The process is stopped for some microseconds and goes on. `pid` must
/// be blocked in a system call that restarts.
Result<std::vector<sock_filter>> read_filter_of(pid_t pid);

}  // namespace pybox::box
