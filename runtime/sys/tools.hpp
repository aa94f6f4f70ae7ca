#pragma once
/// Theory of operation: host tools that set-up needs (mmdebstrap, dpkg-deb, mkfs.erofs, the image's
/// own Python) run "on a leash". Each is the leader of a session of its own, beside a small watcher
/// shell that reads from a pipe whose other end only PyBox holds. When PyBox closes that end (the
/// tool ended, took too long, or PyBox was killed in any way, SIGKILL included) the watcher kills
/// the whole process group, so that nothing a tool started outlives us. PyBox reaps the tool, init
/// the watcher.
///
/// The watcher also holds the set-up lock (sys::Fd given at construction) until that kill is done:
/// a second `pybox setup` never meets a tool of a killed one.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/runner.hpp"

namespace pybox::sys {

/// What a caller may want to know while a tool runs. Both are optional and called from run().
struct ToolWatch {
  std::function<void(std::string_view line)>
      line;                    ///< each line of stdout and stderr, as they come
  std::function<void()> tick;  ///< about ten times a second
};

class Tools {
 public:
  /// `lock_fd` is kept open by every watcher; -1 for none. `progress` must outlive this object; it
  /// ticks while a tool runs that has no tick of its own.
  explicit Tools(Progress& progress, int lock_fd = -1) : progress_(&progress), lock_fd_(lock_fd) {}

  /// Runs to the end, at most `patience`. `plan.fds` must be empty. Output is kept up to 4 MiB a
  /// stream. Errors: the tool is not installed (HostCannot, the hint names the Debian package),
  /// could not be started, took too long.
  Result<sys::ToolResult> run(sys::SpawnPlan plan, Nanos patience,
                              const ToolWatch& watch = {}) const;

  /// As run(), and a tool that did not succeed is an Error with the end of what it said; a full
  /// disk is recognised and named as such.
  Result<sys::ToolResult> run_well(sys::SpawnPlan plan, Nanos patience,
                                   const ToolWatch& watch = {}) const;

 private:
  Progress* progress_;
  int lock_fd_;
};

/// The error of a tool that failed: its last lines, and the cause when it is a full disk.
Error tool_failure(std::string_view tool, const sys::ToolResult& result);

/// The Debian package that brings a host tool, for hints; the tool's own name when unknown.
std::string_view package_of_tool(std::string_view tool);

/// HostCannot naming every tool of `names` that PATH lacks and one apt command that brings them.
Result<void> require_tools(const std::vector<std::string>& names);

}  // namespace pybox::sys
