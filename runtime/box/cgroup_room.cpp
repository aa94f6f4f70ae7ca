#include <sys/stat.h>

#include <cerrno>

#include "base/text.hpp"
#include "box/cgroup.hpp"
#include "sys/file.hpp"

namespace pybox::box {
namespace {

namespace fs = std::filesystem;

Result<void> enable_controllers(const fs::path& folder) {
  return sys::write_pseudo_file(folder / "cgroup.subtree_control", "+memory +pids +cpu");
}

/// cgroup-v2.rst, "No Internal Process Constraint". Done once; later starts find it so.
Result<void> move_to_leaf(const fs::path& folder) {
  const fs::path leaf = folder / kCallersLeaf;
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST)
    return Error::from_errno(errno, "creating " + leaf.string());
  // New processes may be forked into `folder` while we move; a few rounds catch them.
  for (int round = 0; round < 8; ++round) {
    const std::string text = PYBOX_TRY(sys::read_file(folder / "cgroup.procs"));
    if (text.empty()) return {};
    for (std::string_view pids = text; !pids.empty();) {
      const std::string_view pid = take_line(pids);
      if (pid == "0")
        return Error(ErrorKind::HostCannot,
                     "a process of another pid namespace lives in " + folder.string());
      (void)sys::write_pseudo_file(leaf / "cgroup.procs", pid).has_value();
    }
  }
  return Error(ErrorKind::HostCannot, "processes cannot be moved out of " + folder.string());
}

}  // namespace

Result<void> make_room(const sys::CgroupHost& host) {
  if (host.version == sys::CgroupVersion::V1 || host.prepared) return {};
  Result<void> enabled = enable_controllers(host.base);
  if (!enabled && enabled.error().errno_code() == EBUSY && host.own == host.base) {
    PYBOX_TRY_CONTEXT(move_to_leaf(host.base), "making room for boxes");
    enabled = enable_controllers(host.base);
  }
  if (!enabled) return std::move(enabled).error().as(ErrorKind::HostCannot);
  return {};
}

}  // namespace pybox::box
