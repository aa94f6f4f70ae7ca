#pragma once
/// Reads the system call filter of a process back from the kernel.

#include <linux/filter.h>
#include <sys/types.h>

#include <vector>

#include "base/result.hpp"

namespace pybox::box {

/// PTRACE_SECCOMP_GET_FILTER (man 2 ptrace, Linux 4.4): needs CAP_SYS_ADMIN and a kernel with
/// CONFIG_CHECKPOINT_RESTORE. The process is asked to stop at once and has stopped by the time the
/// filter is read: whoever has something else to do meanwhile need not wait for it. `pid` must be
/// blocked in a system call that restarts.
class FilterReader {
 public:
  explicit FilterReader(pid_t pid);
  /// Lets the process go on, whatever happened: one left stopped would be a box that never starts.
  ~FilterReader();
  FilterReader(const FilterReader&) = delete;
  FilterReader& operator=(const FilterReader&) = delete;

  /// To be called once.
  Result<std::vector<sock_filter>> read();

 private:
  Result<void> ask_to_stop();

  pid_t pid_;
  bool seized_ = false;
  Result<void> asked_;
};

}  // namespace pybox::box
