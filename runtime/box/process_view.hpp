#pragma once
/// What /proc shows of one process, read from outside (man 5 proc).

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sys/fd.hpp"

namespace pybox::box {

/// Field `number` (man 5 proc, counted from 1, at least 3) of the text of /proc/PID/stat; empty
/// when there is none. The second field is a name in parentheses that may hold anything: counted
/// from its end.
std::string stat_field(std::string_view stat, int number);

struct MountLine {
  std::string point;
  std::string options;      ///< per mount: "ro,nosuid,nodev,relatime"
  std::string propagation;  ///< "", "shared:1", "master:2 …"
  std::string type;
  std::string super_options;
  bool has(std::string_view option) const;  ///< among `options`
  bool has_super(std::string_view option) const;
};

class ProcessView {
 public:
  /// Holds /proc/PID open: later reads see this process or fail, never another one.
  static Result<ProcessView> of(pid_t pid);

  pid_t pid() const { return pid_; }
  /// A line of /proc/PID/status by its key, white space squeezed; empty when absent.
  std::string status(std::string_view key) const;
  /// "mnt:[4026531841]", empty when unreadable.
  std::string namespace_link(const std::string& name) const;
  std::string link(const char* name) const;
  std::optional<std::string> file(const char* name) const;
  /// The mount table; empty when unreadable.
  std::vector<MountLine> mounts() const;
  /// Names in a folder below /proc/PID, sorted, "." and ".." left out.
  std::vector<std::string> list(const char* folder) const;
  int fd() const { return folder_.get(); }

 private:
  pid_t pid_ = -1;
  sys::Fd folder_;
  std::string status_;  ///< of /proc/PID/status, after a newline
};

}  // namespace pybox::box
