/// The box's file system, by the mount API of Linux 5.2 (man 2 fsopen, fsmount, move_mount):
///
///   /     overlay of the image tree over an empty folder; read-only, nosuid, nodev
///   /proc a new procfs of the box's pid namespace, subset=pid,hidepid=invisible
///   /dev  a small read-only tmpfs with null, zero, full, random, urandom and the fd links
///   /tmp  one tmpfs, capped in size and inodes, noexec; /dev/shm is a part of it
///
/// An overlay and not a bind mount: its mountinfo line shows no host path, and file locks and
/// inotify watches live on its own inodes, so boxes cannot signal through a shared image file. In
/// /proc nothing but the box's own processes exists, so there is nothing else to mask. There is no
/// /sys and no cgroupfs.

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "box/inside.hpp"

namespace pybox::box {
namespace {

int fs_open(const char* type) { return ::fsopen(type, FSOPEN_CLOEXEC); }
bool fs_set(int fs, const char* key, const char* value) {
  return ::fsconfig(fs, FSCONFIG_SET_STRING, key, value, 0) == 0;
}
int fs_mount(int fs, unsigned attributes) {
  if (::fsconfig(fs, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return -1;
  return ::fsmount(fs, FSMOUNT_CLOEXEC, attributes);
}
int open_tree_clone(int at, const char* path) {
  return ::open_tree(at, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}
bool attach(int mount, int at, const char* path) {
  return ::move_mount(mount, "", at, path, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}
bool set_attributes(int mount, unsigned attributes) {
  mount_attr change{};
  change.attr_set = attributes;
  return ::mount_setattr(mount, "", AT_EMPTY_PATH, &change, sizeof(change)) == 0;
}

constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom"};

unsigned without(const BoxPlan& plan, const char* protection, unsigned attribute) {
  return plan.cuts.left_out(protection) ? 0 : attribute;
}

/// "/proc/self/fd/N": the lower layers are named by descriptor, so that neither their path nor the
/// right to walk it matters.
void descriptor_path(char (&out)[48], int fd) {
  std::snprintf(out, sizeof(out), "/proc/self/fd/%d", fd);
}

int make_overlay(const InsideWork& work) {
  const BoxPlan& plan = *work.plan;
  char image[48];
  char empty[48];
  char lower[100];
  // Opened here and not by boxd: an overlay's layers must be mounts of the caller's own namespace.
  const int image_fd = ::open(plan.rootfs.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int empty_fd = ::open(plan.empty.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (image_fd < 0 || empty_fd < 0) return -1;
  descriptor_path(image, image_fd);
  descriptor_path(empty, empty_fd);
  std::snprintf(lower, sizeof(lower), "%s:%s", image, empty);
  const int fs = fs_open("overlay");
  if (fs < 0 || !fs_set(fs, "source", "box") || !fs_set(fs, "lowerdir", lower)) return -1;
  return fs_mount(fs, without(plan, "fs.ro", MOUNT_ATTR_RDONLY) |
                          without(plan, "fs.nosuid", MOUNT_ATTR_NOSUID) |
                          without(plan, "fs.nodev", MOUNT_ATTR_NODEV));
}

}  // namespace

int make_proc(const BoxPlan& plan) {
  const int fs = fs_open("proc");
  if (fs < 0) return -1;
  if (!plan.cuts.left_out("fs.mask") &&
      (!fs_set(fs, "subset", "pid") || !fs_set(fs, "hidepid", "invisible")))
    return -1;
  return fs_mount(fs, (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
}

namespace {

int make_tmpfs(const char* size, const char* inodes, unsigned attributes, const BoxPlan& plan) {
  const int fs = fs_open("tmpfs");
  if (fs < 0 || !fs_set(fs, "source", "box") || !fs_set(fs, "mode", "0755")) return -1;
  if (size != nullptr && !fs_set(fs, "size", size)) return -1;
  if (inodes != nullptr && !fs_set(fs, "nr_inodes", inodes)) return -1;
  // The keeper inside; its single id when there is but one.
  char owner[16];
  std::snprintf(owner, sizeof(owner), "%u", plan.ids.two_ids ? plan.ids.keeper : plan.ids.program);
  if (!fs_set(fs, "uid", owner) || !fs_set(fs, "gid", owner)) return -1;
  return fs_mount(fs, attributes);
}

void fill_dev(const InsideWork& work, int dev) {
  const int socket = work.fds.keeper_socket;
  const bool minimal = !work.plan->cuts.left_out("fs.minidev");
  for (const char* name : kDevices) {
    const int node = ::openat(dev, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (node < 0) give_up(socket, "creating a device's place in /dev");
    ::close(node);
  }
  if (!minimal) {
    const int node = ::openat(dev, "kmsg", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (node >= 0) ::close(node);
  }
  if (::symlinkat("/proc/self/fd", dev, "fd") != 0 ||
      ::symlinkat("/proc/self/fd/0", dev, "stdin") != 0 ||
      ::symlinkat("/proc/self/fd/1", dev, "stdout") != 0 ||
      ::symlinkat("/proc/self/fd/2", dev, "stderr") != 0 || ::mkdirat(dev, "shm", 0755) != 0) {
    give_up(socket, "filling /dev");
  }
}

/// Host devices by bind mount: a user namespace cannot make device nodes.
void bind_devices(const InsideWork& work) {
  const auto bind = [&](const char* name, bool required) {
    char from[32];
    char to[32];
    std::snprintf(from, sizeof(from), "/dev/%s", name);
    std::snprintf(to, sizeof(to), "dev/%s", name);
    const int tree = open_tree_clone(AT_FDCWD, from);
    const bool made = tree >= 0 && set_attributes(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC) &&
                      attach(tree, AT_FDCWD, to);
    if (!made && required) give_up(work.fds.keeper_socket, "binding a device");
  };
  for (const char* name : kDevices) bind(name, true);
  if (work.plan->cuts.left_out("fs.minidev")) bind("kmsg", false);
}

/// Folders of the box's tmpfs: tmp/ becomes /tmp, shm/ becomes /dev/shm.
void fill_tmp(const InsideWork& work, int tmp) {
  const int socket = work.fds.keeper_socket;
  const BoxPlan& plan = *work.plan;
  if (::mkdirat(tmp, "tmp", 01777) != 0 || ::mkdirat(tmp, "shm", 01777) != 0) {
    give_up(socket, "filling the scratch space");
  }
  const int folder = ::openat(tmp, "tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
  // The keeper's, not the program's: /tmp is sticky, so the program can fill /tmp/output and not
  // put anything else in its place.
  if (::mkdirat(folder, "home", 0755) != 0 ||
      ::fchownat(folder, "home", plan.ids.program, plan.ids.program, 0) != 0 ||
      ::mkdirat(folder, "output", 0777) != 0 || ::mkdirat(folder, "input", 0555) != 0) {
    give_up(socket, "making the program's folders");
  }
  if (!plan.inputs.empty()) {
    const int input = ::openat(folder, "input", O_PATH | O_DIRECTORY | O_CLOEXEC);
    fill_input(work, input);
    ::close(input);
  }
  const char* name = plan.program_path.c_str() + sizeof("/tmp/") - 1;
  const int program = ::openat(folder, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
  if (program < 0) give_up(socket, "creating the program file");
  const char* at = plan.program.data();
  std::size_t left = plan.program.size();
  while (left > 0) {
    const ssize_t n = ::write(program, at, left);
    if (n < 0) give_up(socket, "writing the program file");
    at += n;
    left -= static_cast<std::size_t>(n);
  }
  ::close(program);
  ::close(folder);
}

/// A control arm that leaves fs.private out passes mounts on, and takes what is passed to it.
void share_mounts(const InsideWork& work) {
  if (work.plan->cuts.left_out("fs.private") &&
      ::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) != 0) {
    give_up(work.fds.keeper_socket, "sharing mounts for a control arm");
  }
}

/// Puts the two folders of the scratch tmpfs in their places below the current folder, the new
/// root. The whole goes with the old root, attached over a folder of it that nobody in the box
/// opens anything below (the program's process may still open /dev/null): before Linux 6.15
/// open_tree clones only what is attached, and the end of a tree that never was attached waits for
/// a grace period of its own (fs/namespace.c, dissolve_on_fput).
void attach_scratch(int socket, int scratch) {
  if (!attach(scratch, AT_FDCWD, "/sys")) give_up(socket, "attaching the scratch space");
  const int shm = open_tree_clone(scratch, "shm");
  const int tmp = open_tree_clone(scratch, "tmp");
  if (shm < 0 || tmp < 0) give_up(socket, "dividing the scratch space");
  if (!attach(shm, AT_FDCWD, "dev/shm") || !attach(tmp, AT_FDCWD, "tmp"))
    give_up(socket, "attaching the parts of the scratch space");
  ::close(shm);
  ::close(tmp);
}

}  // namespace

RootParts make_root_parts(const InsideWork& work) {
  const BoxPlan& plan = *work.plan;
  const int socket = work.fds.keeper_socket;
  RootParts parts;
  if (!plan.cuts.left_out("fs.private") &&
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    give_up(socket, "making mounts private");
  }
  parts.root = make_overlay(work);
  if (parts.root < 0) give_up(socket, "mounting the image as an overlay");
  parts.proc = plan.cuts.left_out("ns.pid") ? work.fds.outer_proc : make_proc(plan);
  if (parts.proc < 0)
    give_up(socket, "mounting /proc (a masked /proc around PyBox, as in a container, forbids it)");
  parts.dev = make_tmpfs("65536", "32", (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC), plan);
  if (parts.dev < 0) give_up(socket, "mounting /dev");
  parts.tmp = make_tmpfs(plan.cuts.left_out("fs.size") ? nullptr : work.tmpfs_size,
                         plan.cuts.left_out("fs.inodes") ? nullptr : work.tmpfs_inodes,
                         without(plan, "fs.nosuid", MOUNT_ATTR_NOSUID) |
                             without(plan, "fs.nodev", MOUNT_ATTR_NODEV) |
                             without(plan, "fs.noexec", MOUNT_ATTR_NOEXEC),
                         plan);
  if (parts.tmp < 0) give_up(socket, "mounting the scratch space");
  return parts;
}

void assemble_root(const InsideWork& work, const RootParts& parts) {
  const int socket = work.fds.keeper_socket;
  const BoxPlan& plan = *work.plan;
  fill_dev(work, parts.dev);
  fill_tmp(work, parts.tmp);
  // Any folder will do as a mount point: the root is entered by descriptor and pivoted at once.
  if (!attach(parts.root, AT_FDCWD, "/proc") || ::fchdir(parts.root) != 0)
    give_up(socket, "attaching the root");
  if (!attach(parts.proc, AT_FDCWD, "proc") || !attach(parts.dev, AT_FDCWD, "dev"))
    give_up(socket, "attaching /proc and /dev");
  bind_devices(work);
  attach_scratch(socket, parts.tmp);
  if (plan.cuts.left_out("fs.nosys") &&
      !attach(fs_mount(fs_open("sysfs"), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV), AT_FDCWD,
              kSysfs + 1))
    give_up(socket, "mounting sysfs for a control arm");
  if (!plan.cuts.left_out("fs.ro") && !set_attributes(parts.dev, MOUNT_ATTR_RDONLY))
    give_up(socket, "making /dev read-only");
  // A control arm that keeps its old root finds it here (the image has no folder for it).
  if (plan.cuts.left_out("fs.pivot")) {
    if (::syscall(SYS_pivot_root, ".", kOldRoot + 1) != 0 || ::chdir("/") != 0)
      give_up(socket, "keeping the old root");
    return;
  }
  // man 2 pivot_root: the old root ends up stacked on the new one and is detached from there.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) give_up(socket, "pivoting the root");
}

void detach_old_root(const InsideWork& work) {
  if (!work.plan->cuts.left_out("fs.pivot") &&
      (::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0))
    give_up(work.fds.keeper_socket, "detaching the old root");
  share_mounts(work);
}

}  // namespace pybox::box
