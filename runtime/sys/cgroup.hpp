#pragma once
/// Where this host lets us limit processes: cgroup v2 (root or delegated) or, as root, v1
/// controllers (also beside a v2 tree, "hybrid"). Looks only; who makes cgroups there prepares the
/// place. Sources: kernel Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pybox::sys {

enum class CgroupVersion { V1, V2 };

struct CgroupHost {
  CgroupVersion version = CgroupVersion::V2;
  /// V2: the folder in which cgroups can be made.
  std::filesystem::path base;
  /// V2: subtree_control of `base` has memory, pids and cpu. Else they can be had: it is ours to
  /// write, and they are among its controllers.
  bool prepared = false;
  std::filesystem::path own;  ///< V2: the folder we live in
  /// V1: the mount point of each hierarchy. In a container that is the container's own cgroup,
  /// whose limits then bind the boxes too.
  std::filesystem::path memory, pids, cpu, cpuacct;
  bool swap_accounting = false;  ///< V1: memory.memsw.* exists

  /// Every folder a cgroup is made in (one for V2, each hierarchy once for V1).
  std::vector<std::filesystem::path> parents() const;
};

/// What the probe looks at, and as whom.
struct CgroupSources {
  std::filesystem::path mount = "/sys/fs/cgroup";
  std::filesystem::path own_cgroup = "/proc/self/cgroup";
  std::filesystem::path mountinfo = "/proc/self/mountinfo";
  bool is_root = false;
  bool (*may_write)(const std::filesystem::path& path) = nullptr;

  static CgroupSources of_this_host();
};

/// Finds a usable place; changes nothing. Error HostCannot names the missing piece and the command
/// that helps.
Result<CgroupHost> probe_cgroup_host(const CgroupSources& sources = CgroupSources::of_this_host());

}  // namespace pybox::sys
