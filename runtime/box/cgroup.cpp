#include "box/cgroup.hpp"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <set>

#include "base/text.hpp"
#include "box/cgroup_files.hpp"
#include "box/cgroup_makers.hpp"
#include "box/process_view.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"
#include "sys/syscalls.hpp"

namespace pybox::box {
namespace {

namespace fs = std::filesystem;

/// Field 22 of /proc/PID/stat, the process's start time in clock ticks; 0 when there is no such
/// process.
std::uint64_t start_time(pid_t pid) {
  const Result<std::string> text = sys::read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return 0;
  return number_in(stat_field(*text, 22)).value_or(0);
}

std::uint64_t pid_namespace() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? static_cast<std::uint64_t>(info.st_ino) : 0;
}

/// How the names of this boxd's groups begin.
const std::string& ours() {
  static const std::string mine = std::string(kCgroupPrefix) + std::to_string(pid_namespace()) +
                                  "-" + std::to_string(::getpid()) + "-" +
                                  std::to_string(start_time(::getpid())) + "-";
  return mine;
}

struct Owner {
  std::uint64_t ns = 0;
  pid_t pid = 0;
  std::uint64_t start = 0;
};

template <class Number>
bool take_number(std::string_view& rest, Number& number, char separator = '-') {
  const std::string_view part = take_until(rest, separator);
  return std::from_chars(part.data(), part.data() + part.size(), number).ec == std::errc();
}

std::optional<Owner> owner_of(std::string_view name) {
  if (!name.starts_with(kCgroupPrefix)) return std::nullopt;
  name.remove_prefix(kCgroupPrefix.size());
  Owner owner;
  std::uint64_t number = 0;
  if (!take_number(name, owner.ns) || !take_number(name, owner.pid) ||
      !take_number(name, owner.start) || !take_number(name, number)) {
    return std::nullopt;
  }
  return owner;
}

bool is_orphan(const Owner& owner) {
  return owner.ns == pid_namespace() && start_time(owner.pid) != owner.start;
}

}  // namespace

void kill_members(const fs::path& folder) {
  if (sys::write_pseudo_file(folder / "cgroup.kill", "1")) return;
  const Result<std::string> text = sys::read_file(folder / "cgroup.procs");
  if (!text) return;
  const std::string name = "/" + folder.filename().string() + "\n";
  std::string_view pids = *text;
  for (pid_t pid = 0; take_number(pids, pid, '\n');) {
    // The number may stand for another process by now. Held by pidfd it cannot come to, so a member
    // seen after that is the one that is killed.
    const sys::Fd held(sys::pidfd_open(pid));
    const Result<std::string> groups = sys::read_file("/proc/" + std::to_string(pid) + "/cgroup");
    if (held.is_open() && groups && groups->find(name) != std::string::npos)
      sys::pidfd_send_signal(held.get(), SIGKILL);
  }
}

bool swap_is_off() {
  const Result<std::string> swaps = sys::read_file("/proc/swaps");
  return swaps && swaps->find('\n') + 1 >= swaps->size();
}

Result<std::unique_ptr<BoxCgroup>> make_cgroup(const sys::CgroupHost& host, const std::string& name,
                                               const Limits& limits, const Cuts& cuts) {
  return host.version == sys::CgroupVersion::V2 ? make_cgroup_v2(host, name, limits, cuts)
                                                : make_cgroup_v1(host, name, limits, cuts);
}

std::string cgroup_name(std::uint64_t box_number) { return ours() + std::to_string(box_number); }

std::size_t sweep_cgroups(const sys::CgroupHost& host) {
  std::set<std::string> removed;
  for (const fs::path& parent : host.parents()) {
    std::error_code ignored;
    std::vector<fs::path> orphans;
    for (const fs::path& folder : sys::entries_of(parent, ignored)) {
      const std::string name = folder.filename().string();
      if (name.starts_with(ours())) continue;
      const auto owner = owner_of(name);
      if (owner && is_orphan(*owner)) orphans.push_back(folder);
    }
    for (const fs::path& orphan : orphans) {
      kill_members(orphan);
      if (CgroupFolder::adopt(orphan.string()).remove(std::chrono::seconds(2)))
        removed.insert(orphan.filename());
    }
  }
  return removed.size();
}

}  // namespace pybox::box
