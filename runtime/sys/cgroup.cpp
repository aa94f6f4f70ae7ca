#include "sys/cgroup.hpp"

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
Result<std::map<std::string, std::string>> own_cgroups(const fs::path& file) {
  const std::string text = PYBOX_TRY(read_file(file));
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

bool is_prepared(const fs::path& folder) {
  return missing_controllers(folder / "cgroup.subtree_control").empty();
}

Error not_delegated(const fs::path& own, const std::string& missing) {
  return Error(ErrorKind::HostCannot,
               "the cgroup " + own.string() + " does not let PyBox set limits" +
                   (missing.empty() ? "" : " (controllers not delegated: " + missing + ")"))
      .hint(
          "run it in a delegated scope: `systemd-run --user --scope -p Delegate=yes pybox …`, or "
          "use the vm engine");
}

Result<CgroupHost> probe_v2(const CgroupSources& from) {
  const auto own_all = PYBOX_TRY(own_cgroups(from.own_cgroup));
  const auto found = own_all.find("");
  const std::string own_path = found == own_all.end() ? "/" : found->second;
  CgroupHost host;
  host.version = CgroupVersion::V2;
  host.own = (from.mount / fs::path(own_path).relative_path() / "").parent_path();
  // For root the top of the tree; for others the nearest folder above that serves as it is, else
  // their own.
  host.base = from.mount;
  if (!from.is_root || !from.may_write(from.mount)) {
    const auto serves = [&](const fs::path& folder) {
      return from.may_write(folder) && from.may_write(folder / "cgroup.procs") &&
             is_prepared(folder);
    };
    host.base = host.own;
    while (!serves(host.base) && host.base != from.mount) host.base = host.base.parent_path();
    if (!serves(host.base)) {
      host.base = host.own;
      for (const char* file : {"", "cgroup.subtree_control", "cgroup.procs"}) {
        if (!from.may_write(host.base / file)) return not_delegated(host.base, "");
      }
    }
  }
  host.prepared = is_prepared(host.base);
  const std::string missing = missing_controllers(host.base / "cgroup.controllers");
  if (!host.prepared && !missing.empty()) return not_delegated(host.base, missing);
  return host;
}

/// Mounted v1 hierarchies by controller, from /proc/self/mountinfo (man 5 proc).
Result<std::map<std::string, fs::path>> v1_mounts(const fs::path& mountinfo) {
  const std::string text = PYBOX_TRY(read_file(mountinfo));
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

Result<CgroupHost> probe_v1(const CgroupSources& from) {
  if (!from.is_root) {
    return Error(ErrorKind::HostCannot, "this host has cgroup v1, where only root can set limits")
        .hint(
            "use the vm engine (`pybox vm start`), or boot with "
            "systemd.unified_cgroup_hierarchy=1");
  }
  const auto mounts = PYBOX_TRY(v1_mounts(from.mountinfo));
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
    if (!from.may_write(*into)) {
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

CgroupSources CgroupSources::of_this_host() {
  CgroupSources sources;
  sources.is_root = ::geteuid() == 0;
  sources.may_write = [](const fs::path& path) { return ::access(path.c_str(), W_OK) == 0; };
  return sources;
}

Result<CgroupHost> probe_cgroup_host(const CgroupSources& sources) {
  std::error_code ignored;
  if (!fs::exists(sources.mount, ignored)) {
    return Error(ErrorKind::HostCannot, sources.mount.string() + " is not mounted")
        .hint("mount it: `mount -t cgroup2 none " + sources.mount.string() + "`");
  }
  // The file stands at the top of a v2 tree, and nowhere in v1 (cgroup-v2.rst, "Core Interface
  // Files").
  if (fs::exists(sources.mount / "cgroup.controllers", ignored)) return probe_v2(sources);
  return probe_v1(sources);
}

}  // namespace pybox::sys
