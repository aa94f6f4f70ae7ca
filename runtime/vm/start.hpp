#pragma once
/// Starting the VM from a person's command: one supervisor process, and its word that it is ready.
///
/// Theory of operation: the starter holds the start lock, spawns `pybox vm-supervise` in a session
/// of its own with a pipe as descriptor 3, and reads lines from it until "ready" or "failed". If
/// the starter dies, the supervisor finds its pipe closed and gives up, so an interrupted start
/// leaves nothing. After "ready" the starter asks for the status over the socket; only when the VM
/// has gone meanwhile it reads on, to learn why.

#include <filesystem>
#include <string>
#include <vector>

#include "base/line_cutter.hpp"
#include "base/result.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"
#include "vm/status.hpp"
#include "vm/supervisor.hpp"

namespace pybox::vm {

/// The hidden command that becomes the supervisor, and the pipe's number there.
constexpr std::string_view kSuperviseCommand = "vm-supervise";
constexpr int kStartPipe = 3;

struct Started {
  bool already = false;  ///< it was running before
  Status status;
};

/// What a supervisor says on its pipe, line by line: stages and notices are passed on to `watcher`.
class SupervisorWords {
 public:
  /// Reads until `cancel_fd` becomes readable, when it is given.
  SupervisorWords(sys::Fd pipe, const StartWatcher& watcher, int cancel_fd = -1);

  /// Until the supervisor is ready. Error: the one it failed with, `ended` when it closed the pipe
  /// without one, or kind Interrupted.
  Result<void> until_ready(const Error& ended);
  /// Passes on what has been said since, without waiting.
  void pass_on();

 private:
  /// True: ready. False: nothing decisive.
  Result<bool> take(std::string_view line);
  /// False: nothing comes (within `timeout`, in milliseconds).
  Result<bool> read_more(int timeout);

  static constexpr std::size_t kMaxLine = 65536;
  sys::Fd pipe_;
  const StartWatcher& watcher_;
  int cancel_fd_;
  LineCutter lines_{kMaxLine};
};

/// Idempotent; of several at once one starts the VM and the others find it running. `aborted` of
/// the watcher is not asked. The supervisor gets the variables of our environment that say where
/// things are, and nothing else. Errors are those of supervise().
Result<Started> start(const sys::StateDirs& dirs, const StartWatcher& watcher);

/// False: this process was not spawned by start(), and kStartPipe is no pipe.
bool has_starter();

/// The supervisor's end of the pipe. Owns no descriptor: kStartPipe is open for as long as somebody
/// waits.
StartReport report_to_starter();
/// Tells the starter that it failed.
void report_failure(const Error& error);

/// The lines on the pipe, for tests: "stage TEXT", "notice TEXT", "ready", "failed KIND TAB MESSAGE
/// TAB HINT".
std::string failure_line(const Error& error);
Error failure_from(std::string_view line);

}  // namespace pybox::vm
