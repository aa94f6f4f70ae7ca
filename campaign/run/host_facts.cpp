#include "campaign/run/host_facts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "store/registry.hpp"
#include "sys/cgroup.hpp"
#include "sys/file.hpp"
#include "sys/runner.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::campaign {
namespace {

bool is_listed_in(const char* file, std::string_view word) {
  const auto text = sys::read_file(file);
  return text && text.value().find(word) != std::string::npos;
}

bool has(const std::string& need, EngineKind engine, const HostFacts& host) {
  const bool guest = engine == EngineKind::Vm;
  if (need == "cgroup-v1") return !guest && host.cgroup == "v1";
  if (need == "cgroup-v2") return guest || host.cgroup == "v2";
  if (need == "swap") return !guest && host.has_swap;
  if (need == "root") return guest || host.is_root;
  if (need == "landlock") return guest || host.has_landlock;
  if (need == "image-data") return host.has_image_data;
  return false;
}

/// An ordinary user has one id to give, keeps its groups and may mount no /proc of the host
/// (docs/limits.md): its box cannot be made without these, or has nothing to leave out. Its
/// keeper's root is shut to it.
bool takes_root_to_leave_out(const std::string& protection) {
  constexpr std::array<std::string_view, 5> kRoots = {"ns.user", "ns.pid", "cred.uid",
                                                      "cred.groups", "sup.collect"};
  return std::find(kRoots.begin(), kRoots.end(), protection) != kRoots.end();
}

/// As `root` among the needs of a check that does not say so.
bool needs_root(const Check& check) {
  return check.engine == EngineKind::Native &&
         std::any_of(check.cut.begin(), check.cut.end(), takes_root_to_leave_out) &&
         std::find(check.needs.begin(), check.needs.end(), "root") == check.needs.end();
}

}  // namespace

HostFacts probe_host(const sys::StateDirs& dirs) {
  HostFacts host;
  host.is_root = ::geteuid() == 0;
  if (const auto cgroup = sys::probe_cgroup_host()) {
    host.cgroup = cgroup.value().version == sys::CgroupVersion::V1 ? "v1" : "v2";
  } else {
    host.native_trouble = cgroup.error().message() + " (" + cgroup.error().hint() + ")";
  }
  if (!sys::find_program(vm::qemu_program())) host.vm_trouble = "QEMU is not installed";
  // One line of headings, then one for each area (man 5 proc, /proc/swaps).
  const auto swaps = sys::read_file("/proc/swaps");
  host.has_swap = swaps && std::count(swaps.value().begin(), swaps.value().end(), '\n') > 1;
  host.has_landlock = is_listed_in("/sys/kernel/security/lsm", "landlock");
  host.has_image_data = store::find_image(dirs, "data", "3.13").has_value();
  return host;
}

std::string lacking(const Check& check, const HostFacts& host) {
  const std::string& trouble =
      check.engine == EngineKind::Vm ? host.vm_trouble : host.native_trouble;
  if (!trouble.empty()) return trouble;
  std::string missing;
  for (const std::string& need : check.needs) {
    if (!has(need, check.engine, host)) missing += (missing.empty() ? "" : ", ") + need;
  }
  if (needs_root(check) && !host.is_root) missing += missing.empty() ? "root" : ", root";
  return missing.empty() ? missing : "needs " + missing;
}

}  // namespace pybox::campaign
