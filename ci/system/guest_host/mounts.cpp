#include "guest_host/mounts.hpp"

#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace guest_host {
namespace {

namespace fs = std::filesystem;
using pybox::Error;
using pybox::ErrorKind;
using pybox::Result;

/// pivot_root(2), which every box needs, is refused in the kernel's own rootfs: the host's root is
/// a tmpfs that is moved over it.
constexpr const char* kNewRoot = "/newroot";

struct MountPoint {
  const char* type;
  const char* path;
  unsigned long flags;
  const char* options;
};

constexpr std::array kMounts = {
    MountPoint{"tmpfs", "", 0, "mode=0755,size=512m"},
    MountPoint{"proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, ""},
    MountPoint{"sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, ""},
    MountPoint{"cgroup2", "/sys/fs/cgroup", MS_NOSUID | MS_NODEV | MS_NOEXEC, ""},
    MountPoint{"devtmpfs", "/dev", MS_NOSUID, "mode=0755"},
    MountPoint{"devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "mode=0620,ptmxmode=0666"},
    MountPoint{"tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777"},
    MountPoint{"tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755"},
    MountPoint{"tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "mode=1777"},
};

Result<void> mount_at(const MountPoint& point) {
  const std::string path = std::string(kNewRoot) + point.path;
  std::error_code ignored;
  fs::create_directories(path, ignored);
  if (::mount(point.type, path.c_str(), point.type, point.flags, point.options) != 0) {
    return Error::from_errno(errno, "mounting " + std::string(point.type) + " on " + path);
  }
  return {};
}

Result<void> load_modules() {
  std::istringstream names(PYBOX_TRY(pybox::sys::read_file("/modules.list")));
  std::string name;
  while (names >> name) {
    const auto module = PYBOX_TRY(pybox::sys::open_path("/modules/" + name, O_RDONLY));
    if (::syscall(SYS_finit_module, module.get(), "", 0) != 0 && errno != EEXIST &&
        errno != ENODEV) {
      return Error::from_errno(errno, "loading " + name);
    }
  }
  return {};
}

/// The only disk there is.
Result<void> mount_image() {
  const std::string target = std::string(kNewRoot) + kImage;
  ::mkdir(target.c_str(), 0755);
  const std::string disk = std::string(kNewRoot) + "/dev/vda";
  if (::mount(disk.c_str(), target.c_str(), "erofs", MS_RDONLY, nullptr) != 0) {
    return Error::from_errno(errno, "mounting the base image from /dev/vda");
  }
  return {};
}

/// The image's programs and libraries are the host's too; /etc is its own, with two ordinary users.
Result<void> fill_root() {
  const fs::path root = kNewRoot;
  std::error_code error;
  fs::create_directories(root / "usr", error);
  const fs::path usr = root / "image/usr";
  if (::mount(usr.c_str(), (root / "usr").c_str(), nullptr, MS_BIND, nullptr) != 0) {
    return Error::from_errno(errno, "binding the image's /usr");
  }
  for (const char* name : {"bin", "sbin", "lib", "lib64"}) {
    fs::create_directory_symlink(fs::path("usr") / name, root / name, error);
  }
  for (const char* name : {"etc", "root", "home/user", "var/tmp", "mnt"}) {
    fs::create_directories(root / name, error);
  }
  const std::string passwd =
      "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\n"
      "nobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n";
  PYBOX_TRY(pybox::sys::replace_file(root / "etc/passwd", passwd, 0644));
  PYBOX_TRY(pybox::sys::replace_file(root / "etc/group", "root:x:0:\nuser:x:1000:\n", 0644));
  fs::copy(kPayload, root / "payload",
           fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  if (error) return Error(ErrorKind::Io, "copying the tests' files: " + error.message());
  return {};
}

Result<void> switch_root() {
  if (::chdir(kNewRoot) != 0 || ::mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 ||
      ::chroot(".") != 0 || ::chdir("/") != 0) {
    return Error::from_errno(errno, "changing to the new root");
  }
  return {};
}

/// The kernel starts with the loopback interface down.
Result<void> raise_loopback() {
  const pybox::sys::Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (!socket.is_open() || ::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) {
    return Error::from_errno(errno, "raising the loopback interface");
  }
  return {};
}

}  // namespace

Result<void> become_host() {
  PYBOX_TRY(load_modules());
  for (const MountPoint& point : kMounts) PYBOX_TRY(mount_at(point));
  PYBOX_TRY(mount_image());
  PYBOX_TRY(fill_root());
  PYBOX_TRY(pybox::sys::write_pseudo_file(std::string(kNewRoot) + "/proc/sys/kernel/core_pattern",
                                          "/nowhere/core"));
  PYBOX_TRY(raise_loopback());
  return switch_root();
}

}  // namespace guest_host
