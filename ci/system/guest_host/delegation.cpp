#include "guest_host/delegation.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace guest_host {
namespace {

namespace fs = std::filesystem;
using pybox::Error;
using pybox::Result;

constexpr const char* kTop = "/sys/fs/cgroup";

Result<void> make_folder(const fs::path& folder) {
  // A controller can be used in a folder only when every folder above enables it.
  PYBOX_TRY(pybox::sys::write_pseudo_file(folder.parent_path() / "cgroup.subtree_control",
                                          "+cpu +memory +pids"));
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return Error::from_errno(errno, "making " + folder.string());
  }
  return {};
}

Result<void> hand_over(const fs::path& folder) {
  for (const char* name : {"", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"}) {
    const fs::path path = *name == '\0' ? folder : folder / name;
    if (::chown(path.c_str(), kUser, kUser) != 0) {
      return Error::from_errno(errno, "handing over " + path.string());
    }
  }
  return {};
}

}  // namespace

Result<fs::path> make_service() {
  const fs::path slice = fs::path(kTop) / "system.slice";
  PYBOX_TRY(make_folder(slice));
  PYBOX_TRY(make_folder(slice / "tests.service"));
  return slice / "tests.service";
}

Result<fs::path> make_delegated_scope() {
  fs::path folder = fs::path(kTop);
  for (const char* name :
       {"user.slice", "user-1000.slice", "user@1000.service", "app.slice", "tests.scope"}) {
    folder /= name;
    PYBOX_TRY(make_folder(folder));
  }
  // The scope alone: no folder above serves, so room for boxes has to be made in it, where the
  // tests themselves live.
  PYBOX_TRY(hand_over(folder));
  return folder;
}

}  // namespace guest_host
