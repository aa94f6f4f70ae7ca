#include "sys/cgroup.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::sys {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kControllers = {"memory", "pids", "cpu"};

bool has_word(std::string_view text, std::string_view word) {
  for (std::string_view each; !(each = take_word(text)).empty();) {
    if (each == word) return true;
  }
  return false;
}

std::string missing_controllers(const fs::path& file) {
  const Result<std::string> text = read_file(file);
  std::string missing;
  for (const char* name : kControllers) {
    if (!text || !has_word(*text, name)) missing += std::string(missing.empty() ? "" : " ") + name;
  }
  return missing;
}

/// Our cgroup path per hierarchy: key is the controller list ("" for v2). man 7 cgroups.
Result<std::map<std::string, std::string>> own_cgroups() {
  const std::string text = PYBOX_TRY(read_file("/proc/self/cgroup"));
  std::map<std::string, std::string> own;
  for (std::string_view lines = text; !lines.empty();) {
    std::string_view path = take_line(lines);
    take_until(path, ':');
    std::string_view names = take_until(path, ':');
    do {
      own[std::string(take_until(names, ','))] = path;
    } while (!names.empty());
  }
  return own;
}

bool writable(const fs::path& path) { return ::access(path.c_str(), W_OK) == 0; }

bool can_host_boxes(const fs::path& folder) {
  return writable(folder) && writable(folder / "cgroup.procs") &&
         missing_controllers(folder / "cgroup.subtree_control").empty();
}

Result<void> enable_controllers(const fs::path& folder) {
  return write_pseudo_file(folder / "cgroup.subtree_control", "+memory +pids +cpu");
}

Error not_delegated(const fs::path& own, const std::string& missing) {
  return Error(ErrorKind::HostCannot,
               "the cgroup " + own.string() + " does not let PyBox set limits" +
                   (missing.empty() ? "" : " (controllers not delegated: " + missing + ")"))
      .hint(
          "run it in a delegated scope: `systemd-run --user --scope -p Delegate=yes pybox …`, or "
          "use the vm engine");
}

/// A delegated cgroup that holds us (and perhaps our parents): processes must move to a leaf before
/// controllers can be enabled ("no internal processes"). Done once; later starts find it so.
Result<void> make_room(const fs::path& own) {
  const fs::path leaf = own / "pybox-callers";
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) {
    return Error::from_errno(errno, "creating " + leaf.string());
  }
  // New processes may be forked into `own` while we move; a few rounds catch them.
  for (int round = 0; round < 8; ++round) {
    const std::string text = PYBOX_TRY(read_file(own / "cgroup.procs"));
    bool any = false;
    for (std::string_view pids = text; !pids.empty();) {
      const std::string_view pid = take_line(pids);
      any = true;
      if (pid == "0")
        return Error(ErrorKind::HostCannot,
                     "a process of another pid namespace lives in " + own.string());
      (void)write_pseudo_file(leaf / "cgroup.procs", pid).has_value();
    }
    if (!any) return enable_controllers(own);
  }
  return Error(ErrorKind::HostCannot, "processes cannot be moved out of " + own.string());
}

Result<CgroupHost> probe_v2(const fs::path& mount) {
  const auto own_all = PYBOX_TRY(own_cgroups());
  const auto found = own_all.find("");
  const std::string own_path = found == own_all.end() ? "/" : found->second;
  const fs::path own = mount / fs::path(own_path).relative_path();
  CgroupHost host;
  host.version = CgroupVersion::V2;
  if (::geteuid() == 0 && writable(mount)) {
    if (!missing_controllers(mount / "cgroup.subtree_control").empty()) {
      const std::string missing = missing_controllers(mount / "cgroup.controllers");
      if (!missing.empty()) return not_delegated(mount, missing);
      Result<void> enabled = enable_controllers(mount);
      // EBUSY: the root of a cgroup namespace that holds processes, as in a container.
      if (!enabled && own == mount / "") enabled = make_room(mount);
      if (!enabled) return std::move(enabled).error().as(ErrorKind::HostCannot);
    }
    host.base = mount;
    return host;
  }
  for (fs::path at = own; at.native().size() >= mount.native().size(); at = at.parent_path()) {
    if (can_host_boxes(at)) {
      host.base = at;
      return host;
    }
    if (at == mount) break;
  }
  if (!writable(own) || !writable(own / "cgroup.subtree_control") ||
      !writable(own / "cgroup.procs")) {
    return not_delegated(own, "");
  }
  const std::string missing = missing_controllers(own / "cgroup.controllers");
  if (!missing.empty()) return not_delegated(own, missing);
  PYBOX_TRY_CONTEXT(make_room(own), "using the delegated cgroup");
  host.base = own;
  return host;
}

/// Mounted v1 hierarchies by controller, from /proc/self/mountinfo (man 5 proc).
Result<std::map<std::string, fs::path>> v1_mounts() {
  const std::string text = PYBOX_TRY(read_file("/proc/self/mountinfo"));
  std::map<std::string, fs::path> mounts;
  for (std::string_view lines = text; !lines.empty();) {
    std::string_view fields = take_line(lines);
    if (fields.find(" - cgroup ") == std::string_view::npos) continue;
    std::string_view options = fields.substr(fields.rfind(' ') + 1);
    for (int skipped = 0; skipped < 4; ++skipped) take_word(fields);
    const std::string_view point = take_word(fields);
    while (!options.empty()) mounts.emplace(take_until(options, ','), point);
  }
  return mounts;
}

Result<CgroupHost> probe_v1() {
  if (::geteuid() != 0) {
    return Error(ErrorKind::HostCannot, "this host has cgroup v1, where only root can set limits")
        .hint(
            "use the vm engine (`pybox vm start`), or boot with "
            "systemd.unified_cgroup_hierarchy=1");
  }
  const auto mounts = PYBOX_TRY(v1_mounts());
  CgroupHost host;
  host.version = CgroupVersion::V1;
  for (const auto& [name, into] : {std::pair<const char*, fs::path*>{"memory", &host.memory},
                                   {"pids", &host.pids},
                                   {"cpu", &host.cpu},
                                   {"cpuacct", &host.cpuacct}}) {
    const auto mount = mounts.find(name);
    if (mount == mounts.end()) {
      return Error(ErrorKind::HostCannot,
                   std::string("the cgroup controller `") + name + "` is not mounted")
          .hint(std::string("mount it: `mount -t cgroup -o ") + name + " cgroup /sys/fs/cgroup/" +
                name + "`");
    }
    *into = mount->second;
    if (!writable(*into)) {
      return Error(ErrorKind::HostCannot, "the cgroup " + into->string() + " cannot be written")
          .hint("run on the host instead of in a container, or use the vm engine");
    }
  }
  host.swap_accounting = ::access((host.memory / "memory.memsw.limit_in_bytes").c_str(), F_OK) == 0;
  return host;
}

}  // namespace

std::vector<fs::path> CgroupHost::parents() const {
  if (version == CgroupVersion::V2) return {base};
  std::vector<fs::path> all = {memory, pids, cpu};
  if (cpuacct != cpu) all.push_back(cpuacct);
  return all;
}

Result<CgroupHost> probe_cgroup_host() {
  const fs::path mount = "/sys/fs/cgroup";
  struct statfs info {};
  if (::statfs(mount.c_str(), &info) != 0) {
    return Error(ErrorKind::HostCannot, "/sys/fs/cgroup is not mounted")
        .hint("mount it: `mount -t cgroup2 none /sys/fs/cgroup`");
  }
  if (info.f_type == CGROUP2_SUPER_MAGIC) return probe_v2(mount);
  return probe_v1();
}

}  // namespace pybox::sys
