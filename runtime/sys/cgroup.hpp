#pragma once
/// Where this host lets us make cgroups, probed at run time: cgroup v2 (root or delegated) or, as
/// root, v1 controllers (also beside a v2 tree, "hybrid"). Sources: kernel
/// Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pybox::sys {

enum class CgroupVersion { V1, V2 };

struct CgroupHost {
  CgroupVersion version = CgroupVersion::V2;
  /// V2: the folder in which box cgroups are made; its subtree_control has memory, pids and cpu.
  std::filesystem::path base;
  /// V1: the mount point of each hierarchy. In a container that is the container's own cgroup,
  /// whose limits then bind the boxes too.
  std::filesystem::path memory, pids, cpu, cpuacct;
  bool swap_accounting = false;  ///< V1: memory.memsw.* exists

  /// Every folder a box cgroup is made in (one for V2, each hierarchy once for V1).
  std::vector<std::filesystem::path> parents() const;
};

/// Finds a usable place, enabling controllers where we own the folder. Error HostCannot names the
/// missing piece and the command that helps.
Result<CgroupHost> probe_cgroup_host();

}  // namespace pybox::sys
