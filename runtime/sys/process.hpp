#pragma once
/// Theory of operation: a Child is one process we started, held by its pidfd. Whoever holds the
/// Child reaps it; destruction kills (SIGKILL) and reaps. One that was let go is reaped by
/// reap_let_go(). No SIGCHLD handler exists anywhere in PyBox: waiting is waitid(P_PIDFD) on the
/// descriptor (man 2 waitid).

#include <sys/types.h>

#include <optional>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"

namespace pybox::sys {

/// How a process ended, as the kernel reported it.
struct WaitStatus {
  bool by_signal = false;
  int code = 0;  ///< exit code, or the signal's number
};

class Child {
 public:
  Child() = default;
  Child(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  ~Child();
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}
  Child& operator=(Child&& other) noexcept;

  bool is_running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }

  /// Sends a signal through the pidfd; a process that already ended is not an error.
  Result<void> signal(int number) const;
  /// Waits at most `patience`; nullopt when it is still running. Reaps.
  Result<std::optional<WaitStatus>> wait(Nanos patience);
  /// Lets the process live on without us. While we live, reap_let_go() reaps it when it has ended.
  void disown();

 private:
  pid_t pid_ = -1;
  Fd pidfd_;
};

/// Reaps the processes that were let go and have ended, without waiting. spawn() begins with it, so
/// that they cannot pile up. From any thread.
void reap_let_go();
/// Readable while there is one to reap: for a loop that lives long. -1 when the host gave none.
int let_go_fd();

}  // namespace pybox::sys
