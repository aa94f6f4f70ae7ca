#pragma once
/// Theory of operation: a Child is one process we started, held by its pidfd. Whoever holds the
/// Child reaps it; destruction kills (SIGKILL) and reaps, unless it was released. No SIGCHLD
/// handler exists anywhere in PyBox: waiting is waitid(P_PIDFD) on the descriptor (man 2 waitid).

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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
  /// Lets the process live on without us; it is then nobody's to reap here.
  void disown();

 private:
  pid_t pid_ = -1;
  Fd pidfd_;
};

/// What to start. Descriptors not named in `fds` do not reach the program.
struct SpawnPlan {
  std::filesystem::path program;         ///< absolute path, or searched in PATH when it has no '/'
  std::vector<std::string> args;         ///< without argv[0]
  std::vector<std::string> environment;  ///< "NAME=value"; the caller's is never inherited
  std::vector<std::pair<int, int>> fds;  ///< {ours, theirs}; 0, 1 and 2 default to /dev/null
  std::filesystem::path folder;          ///< where it starts; empty: where we are
  bool new_session = false;              ///< setsid, so that a terminal's Ctrl-C does not reach it
};

/// Starts a program (posix_spawn, so cost does not grow with our memory). Signals are reset to
/// their defaults and unblocked in the child: a caller may have ignored SIGCHLD or blocked
/// everything.
Result<Child> spawn(const SpawnPlan& plan);

/// The caller's environment reduced to what host tools need: PATH, HOME, LANG=C.UTF-8, proxies,
/// TMPDIR.
std::vector<std::string> tool_environment();

/// What a host tool printed and how it ended.
struct ToolResult {
  WaitStatus status;
  std::string out;
  std::string err;
  bool ok() const { return !status.by_signal && status.code == 0; }
};

/// Runs a host tool to its end with limits on time and output (16 MiB each stream, excess dropped).
/// `plan.fds` may name extra descriptors; 1 and 2 are captured unless listed there.
Result<ToolResult> run_tool(SpawnPlan plan, Nanos patience);

/// Absolute path of a program in PATH (plus /usr/sbin:/sbin), or nullopt.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace pybox::sys
