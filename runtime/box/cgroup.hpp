#pragma once
/// The control groups of one box: made before it, limited, read from outside, removed after it.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "box/cuts.hpp"
#include "receipt/report.hpp"
#include "request/limits.hpp"
#include "sys/cgroup.hpp"

namespace pybox::box {

/// A live reading; a counter the kernel does not offer is nullopt, never zero.
struct CgroupReading {
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> pids;
  std::optional<double> cpu_s;
};

class BoxCgroup {
 public:
  virtual ~BoxCgroup() = default;
  BoxCgroup() = default;
  BoxCgroup(const BoxCgroup&) = delete;
  BoxCgroup& operator=(const BoxCgroup&) = delete;

  /// v2: the folder's descriptor for clone3(CLONE_INTO_CGROUP). v1: -1.
  virtual int into_fd() const = 0;
  /// v1: descriptors of `tasks`; the single-threaded child writes "0" to each, which skips the
  /// global lock that a write to cgroup.procs takes. v2: empty.
  virtual std::vector<int> task_fds() const = 0;

  virtual CgroupReading read_now() const = 0;
  /// Counters after the last process ended: peak, kills, refusals, CPU. Fills `readings`.
  virtual void read_final(KernelReadings& readings) const = 0;
  /// Kernel counters that say what happened so far, cheap: out-of-memory kills.
  virtual std::optional<std::uint64_t> oom_kills() const = 0;
  /// Kills every process in the group, where the kernel offers it (v2 cgroup.kill).
  virtual void kill_all() const = 0;
  /// Removes the group; the error says what is still inside. Once removed, nothing more happens.
  virtual Result<void> remove(Nanos patience) = 0;
  /// Reads every limit back and compares: cg.*
  virtual std::vector<SealCheck> checks(const Limits& limits) const = 0;
  /// What /proc/PID/cgroup of the program must contain.
  virtual std::string expected_membership() const = 0;
};

/// Enables memory, pids and cpu for the folders in `host.base` where they are not yet. A v2 cgroup
/// that holds processes cannot have that, so those of our own move to its leaf kCallersLeaf first.
/// Boxes need it; whoever only looks must not ask for it.
Result<void> make_room(const sys::CgroupHost& host);
constexpr const char* kCallersLeaf = "pybox-callers";

/// `name` must start with kCgroupPrefix.
Result<std::unique_ptr<BoxCgroup>> make_cgroup(const sys::CgroupHost& host, const std::string& name,
                                               const Limits& limits, const Cuts& cuts);

/// Box cgroups are named pybox-<pid namespace>-<boxd's pid>-<boxd's start time>-<n>, so that a
/// later boxd can tell whose they were.
constexpr std::string_view kCgroupPrefix = "pybox-";
std::string cgroup_name(std::uint64_t box_number);

/// Ends and removes the boxes of every boxd of this pid namespace that no longer lives. Returns how
/// many groups were removed. Never touches a live one's.
std::size_t sweep_cgroups(const sys::CgroupHost& host);

}  // namespace pybox::box
