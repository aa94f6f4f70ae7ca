/// The file that comes and goes with a mount, in a world of root's.

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "campaign/world/planted.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

/// A tmpfs that is mounted nowhere yet; not open on failure.
sys::Fd make_tmpfs() {
  const sys::Fd fs(::fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (!fs.is_open() || ::fsconfig(fs.get(), FSCONFIG_SET_STRING, "mode", "0755", 0) != 0 ||
      ::fsconfig(fs.get(), FSCONFIG_SET_STRING, "size", "4k", 0) != 0 ||
      ::fsconfig(fs.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return {};
  }
  return sys::Fd(::fsmount(fs.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
}

}  // namespace

void Planted::come_and_go() {
  const std::filesystem::path place = folder_ / "later";
  toggles_ = ::mount(nullptr, folder_.c_str(), nullptr, MS_SHARED, nullptr) == 0 &&
             ::mkdir(place.c_str(), 0755) == 0;
  if (toggles_) ask_.text("later", seen_as_ / "later" / "file");
}

void Planted::toggle_mount() {
  const std::filesystem::path place = folder_ / "later";
  toggled_ = monotonic_now();
  if (std::exchange(mounted_, !mounted_)) {
    ::umount2(place.c_str(), MNT_DETACH);
    return;
  }
  // The file is there before the mount is: whoever has a copy of the mount has this file for good.
  const sys::Fd tmpfs = make_tmpfs();
  const sys::Fd file(::openat(tmpfs.get(), "file", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  const std::string text = text_of("later") + ":" + std::to_string(++mounts_);
  if (file.is_open() && sys::write_all(file.get(), text))
    ::move_mount(tmpfs.get(), "", AT_FDCWD, place.c_str(), MOVE_MOUNT_F_EMPTY_PATH);
}

}  // namespace pybox::campaign
