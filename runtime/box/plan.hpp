#pragma once
/// Everything about a box that can be decided before a process exists: plan first, act second.

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "box/cuts.hpp"
#include "box/filter_choice.hpp"
#include "request/request.hpp"

namespace pybox::box {

/// Who the processes are. Inside the box the keeper is uid 0 and the program uid 1000; outside,
/// both are ids that own nothing. An ordinary user has one id to give, so there both are that
/// user's own.
struct IdMap {
  bool two_ids = false;  ///< boxd is root and wrote a map of two ids
  uid_t keeper_outside = 0;
  uid_t program_outside = 0;
  static constexpr uid_t kKeeperInside = 0;
  static constexpr uid_t kProgramInside = 1000;
  /// How the box's own processes name them. The outside ids where a control arm has no user
  /// namespace.
  uid_t keeper = kKeeperInside;
  uid_t program = kProgramInside;
};

/// For root: a random pair out of 2^27, so that boxes at the same time (each native run has a boxd
/// of its own) do not share the kernel's limits by user, and the number tells a program nothing.
IdMap id_map_for(uid_t boxd_uid);

struct ResourceLimit {
  const char* protection;  ///< "rl.core"
  const char* shown;       ///< the row of /proc/PID/limits
  int resource;            ///< RLIMIT_…
  std::uint64_t value;     ///< soft and hard
};

struct BoxPlan {
  Limits limits;
  Nanos timeout{};
  Nanos expiry{};      ///< from the box's making, whatever happens
  std::string rootfs;  ///< the image tree on this host
  std::string empty;   ///< a folder that stays empty
  IdMap ids;
  std::string program_path;  ///< "/tmp/main.py"
  std::string program;       ///< its text
  /// What /tmp/input holds; the request's own, which outlives the box. None: an empty folder.
  std::span<const InputFile> inputs;
  std::vector<std::string> argv;  ///< python3 -I /tmp/main.py …
  std::vector<std::string> environment;
  std::vector<ResourceLimit> resource_limits;
  bool has_stdin = false;
  Cuts cuts;
  FilterChoice filters;
};

constexpr const char* kInterpreter = "/usr/bin/python3";
constexpr const char* kHostName = "pybox";
/// Where control arms have what a box never has: the old root (fs.pivot), sysfs (fs.nosys).
constexpr const char* kOldRoot = "/var";
constexpr const char* kSysfs = "/usr/local";

/// "NAME=value" of everything a program finds in its environment, for its share of processors.
std::vector<std::string> program_environment(MilliCores cpu);

/// `request` must outlive the plan.
BoxPlan plan_box(const Request& request, const IdMap& ids, Cuts cuts);

}  // namespace pybox::box
