#pragma once
/// The one runner of host programs (QEMU, mmdebstrap, mkfs.erofs, boxd, a campaign's drivers).
///
/// Theory of operation: a program starts from a plan and gets nothing that the plan does not name:
/// no variable, no descriptor, no signal that we ignore or block. It shares our memory until it
/// executes (vfork), so that a start costs the same however large we are. A Child (process.hpp)
/// holds it. run_to_end() reads what it writes, so that it never waits for us, and stops it when
/// its time is over or somebody cancels. One that leads a session has its group killed when it has
/// ended and before it is reaped, so that the group's number cannot be another's by then.

#include <signal.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/process.hpp"

namespace pybox::sys {

/// What to start. Descriptors not named in `fds` do not reach the program.
struct SpawnPlan {
  std::filesystem::path program;         ///< absolute path, or searched in PATH when it has no '/'
  std::vector<std::string> args;         ///< without argv[0]
  std::vector<std::string> environment;  ///< "NAME=value"; the caller's is never inherited
  std::vector<std::pair<int, int>> fds;  ///< {ours, theirs}; 0, 1 and 2 default to /dev/null
  std::filesystem::path folder;          ///< where it starts; empty: where we are
  bool new_session = false;              ///< setsid, so that a terminal's Ctrl-C does not reach it
};

/// Starts a program. Signals are at their defaults and unblocked in it, whatever they are here.
Result<Child> spawn(const SpawnPlan& plan);

/// The caller's environment reduced to what host tools need: PATH, HOME, LANG=C.UTF-8, proxies,
/// TMPDIR.
std::vector<std::string> tool_environment();

/// Absolute path of a program in PATH (plus /usr/sbin:/sbin), or nullopt.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// On what terms a program is run to its end.
struct RunTerms {
  Nanos patience{};           ///< past it, it is told to stop
  Bytes kept = 16_MiB;        ///< of each stream; what comes beyond is read and dropped
  int cancel_fd = -1;         ///< readable: it is told to stop
  int stop_signal = SIGKILL;  ///< what tells it; one that has not ended 15 s later is killed
  /// Each line of both streams as it comes, without its end, cut at 4096 bytes.
  std::function<void(std::string_view)> line = {};
  std::function<void()> tick = {};  ///< about ten times a second
};

/// What a program printed and how it ended.
struct ToolResult {
  WaitStatus status;
  std::string out;
  std::string err;
  Nanos took{};  ///< from before it was started until it had been reaped
  bool timed_out = false;
  bool cancelled = false;
  bool ok() const { return !timed_out && !cancelled && !status.by_signal && status.code == 0; }
};

/// Starts a program with these descriptors as its stdout and stderr.
using StartProgram = std::function<Result<Child>(int out, int err)>;

/// Runs what `start` starts to its end. Its end is that of the one process: what others still
/// write to its pipes is not waited for. Errors: it could not be started or waited for.
Result<ToolResult> run_to_end(const StartProgram& start, const RunTerms& terms);
/// The same of a plan, whose `fds` may take 1 or 2 for themselves: nothing is captured there then.
Result<ToolResult> run_to_end(SpawnPlan plan, const RunTerms& terms);
/// The same, where one that did not end in time is an Error that names it.
Result<ToolResult> run_tool(SpawnPlan plan, const RunTerms& terms);
inline Result<ToolResult> run_tool(SpawnPlan plan, Nanos patience) {
  return run_tool(std::move(plan), RunTerms{.patience = patience});
}

}  // namespace pybox::sys
