#include "box/verify_mounts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>

#include "base/join.hpp"
#include "box/cgroup_files.hpp"

namespace pybox::box {
namespace {

/// The exact mount table: a mount too many is as wrong as one too few.
const std::vector<std::string>& expected_mounts() {
  static const std::vector<std::string> points = {
      "/",        "/dev",         "/dev/full", "/dev/null", "/dev/random",
      "/dev/shm", "/dev/urandom", "/dev/zero", "/proc",     "/tmp"};
  return points;
}

/// Names of those mounts that lack `option`, or "all".
template <class Wanted>
std::string having(const std::vector<MountLine>& mounts, std::string_view option, Wanted wanted) {
  std::vector<std::string> lacking;
  bool any = false;
  for (const MountLine& mount : mounts) {
    if (!wanted(mount)) continue;
    any = true;
    if (!mount.has(option)) lacking.push_back(mount.point);
  }
  if (!any) return "no such mount";
  return lacking.empty() ? "all" : "not " + join(lacking);
}

/// Where a control arm keeps its old root, that is one difference and not one of each kind.
std::vector<MountLine> all_but_old_root(std::vector<MountLine> mounts, const Cuts& cuts) {
  if (cuts.left_out("fs.pivot"))
    std::erase_if(mounts, [](const MountLine& mount) { return mount.point.starts_with(kOldRoot); });
  return mounts;
}

void check_foreign(const ProcessView& program, const std::vector<MountLine>& mounts,
                   const std::string& method, Checks& out) {
  std::string masked = "no procfs";
  std::vector<std::string> foreign;
  for (const MountLine& mount : mounts) {
    if (mount.type == "proc")
      masked = mount.has_super("subset=pid") && mount.has_super("hidepid=invisible")
                   ? "subset=pid,hidepid=invisible"
                   : "unmasked";
    if (mount.type.starts_with("sysfs") || mount.type.starts_with("cgroup"))
      foreign.push_back(mount.point);
  }
  out.push_back(compare("fs.mask", "subset=pid,hidepid=invisible", masked, method));
  struct stat sys_kernel {};
  if (::fstatat(program.fd(), "root/sys/kernel", &sys_kernel, AT_SYMLINK_NOFOLLOW) == 0)
    foreign.push_back("/sys/kernel");
  out.push_back(compare("fs.nosys", "", join(foreign), method + " and /proc/PID/root"));
}

}  // namespace

void check_mounts(const ProcessView& program, const Cuts& cuts, Checks& out) {
  const std::vector<MountLine> all = program.mounts();
  const std::vector<MountLine> mounts = all_but_old_root(all, cuts);
  const std::string method = "/proc/PID/mountinfo";
  std::vector<std::string> points;
  std::vector<std::string> shared;
  for (const MountLine& mount : all) {
    // What fs.nosys and fs.minidev refuse by their own names.
    if (mount.type != "sysfs" && mount.point != "/dev/kmsg") points.push_back(mount.point);
  }
  for (const MountLine& mount : mounts) {
    if (!mount.propagation.empty()) shared.push_back(mount.point);
  }
  std::sort(points.begin(), points.end());
  const auto writable_place = [](const MountLine& m) {
    return m.point == "/tmp" || m.point == "/dev/shm";
  };
  const auto device = [](const MountLine& m) {
    return m.point.starts_with("/dev/") && m.point != "/dev/shm";
  };
  out.push_back(compare("fs.pivot", join(expected_mounts()), join(points), method));
  out.push_back(compare(
      "fs.ro", "all",
      having(mounts, "ro", [](const MountLine& m) { return m.point == "/" || m.point == "/dev"; }),
      method));
  out.push_back(compare("fs.nosuid", "all",
                        having(mounts, "nosuid", [](const MountLine&) { return true; }), method));
  out.push_back(compare(
      "fs.nodev", "all",
      having(mounts, "nodev", [&](const MountLine& m) { return !device(m) && m.point != "/dev"; }),
      method));
  out.push_back(compare("fs.noexec", "all", having(mounts, "noexec", writable_place), method));
  out.push_back(compare("fs.private", "", join(shared), method + " (propagation)"));
  check_foreign(program, mounts, method, out);
}

void check_scratch(const ProcessView& program, const Limits& limits, Checks& out) {
  struct statfs scratch {};
  const std::string root_tmp = "/proc/" + std::to_string(program.pid()) + "/root/tmp";
  const bool readable = ::statfs(root_tmp.c_str(), &scratch) == 0;
  const auto size =
      static_cast<std::uint64_t>(scratch.f_blocks) * static_cast<std::uint64_t>(scratch.f_bsize);
  out.push_back(compare("fs.size", std::to_string(limits.tmp.count),
                        readable ? std::to_string(size) : "unreadable", "statfs of /tmp"));
  out.push_back(compare("fs.inodes", std::to_string(limits.tmp_inodes),
                        readable ? std::to_string(scratch.f_files) : "unreadable",
                        "statfs of /tmp"));
  out.push_back(compare("fs.minidev", "fd full null random shm stderr stdin stdout urandom zero",
                        join(program.list("root/dev")), "/proc/PID/root/dev"));
}

}  // namespace pybox::box
