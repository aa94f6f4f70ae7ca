#pragma once
/// What this host has, as far as checks may need it (`needs`).

#include <optional>
#include <string>

#include "campaign/model/check.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::campaign {

struct HostFacts {
  bool is_root = false;
  std::optional<std::string>
      cgroup;                  ///< "v1" or "v2": what a native box gets; none: nothing usable
  std::string native_trouble;  ///< why no native box can be made here; empty: it can
  std::string vm_trouble;      ///< why no VM can be started here; empty: it can
  bool has_swap = false;
  bool has_landlock = false;
  bool has_image_data = false;
};

HostFacts probe_host(const sys::StateDirs& dirs);

/// What the check needs and does not find, its engine first, in words; empty when nothing is
/// missing. A native check that leaves out what only root can leave out needs root. On the vm
/// engine the guest is meant: PyBox's own kernel, with cgroup v2, without swap, where boxd is root.
std::string lacking(const Check& check, const HostFacts& host);

}  // namespace pybox::campaign
