#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "box/cgroup.hpp"
#include "cli/doctor/probes.hpp"
#include "engine/boxd_path.hpp"
#include "sys/cgroup.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::cli {
namespace {

using Area = DoctorCheck::Area;

bool file_has_word(const char* file, const std::string& word) {
  const auto text = sys::read_file(file);
  if (!text) return false;
  std::istringstream words(*text);
  std::string each;
  while (words >> each) {
    if (each == word) return true;
  }
  return false;
}

std::string layout_of(const sys::CgroupHost& host) {
  if (host.version == sys::CgroupVersion::V1) return "cgroup v1, memory in " + host.memory.string();
  std::string text = "cgroup v2, boxes in " + host.base.string();
  if (host.prepared) return text;
  text += "; the first run enables memory, pids and cpu there";
  if (host.own == host.base)
    text += std::string(" and may move its processes to ") + box::kCallersLeaf;
  return text;
}

std::string title_of_limit(const std::string& protection) {
  if (protection == "cg.mem") return "memory limit";
  if (protection == "cg.swap") return "no swap";
  if (protection == "cg.pids") return "process limit";
  if (protection == "cg.cpu") return "CPU limit";
  if (protection == "cg.kill") return "cgroup kill";
  return protection;
}

/// Makes a real box cgroup with the limits of `stdlib`, reads each of them back, as every run does,
/// and removes it.
void probe_limits(const sys::CgroupHost& host, std::vector<DoctorCheck>& checks) {
  const Limits limits = limits_for_image("stdlib");
  auto group = box::make_cgroup(host, box::cgroup_name(0), limits, box::Cuts{});
  if (!group) {
    checks.push_back(
        {Area::Native, "cgroup limits", false, group.error().message(), group.error().hint()});
    return;
  }
  for (const SealCheck& check : (*group)->checks(limits)) {
    checks.push_back({Area::Native, title_of_limit(check.name), check.ok,
                      check.method + " reads " + check.observed +
                          (check.ok ? "" : ", set was " + check.expected),
                      "use the vm engine: `pybox vm start`"});
  }
  const auto removed = (*group)->remove(std::chrono::seconds(2));
  if (!removed) {
    checks.push_back({Area::Native, "cgroup removal", false, removed.error().message(), ""});
  }
}

void probe_cgroups(std::vector<DoctorCheck>& checks) {
  const auto host = sys::probe_cgroup_host();
  if (host) {
    checks.push_back({Area::Native, "cgroup", true, layout_of(*host), ""});
    // Where the controllers are not enabled yet there are no limits to try without changing that.
    if (host->version == sys::CgroupVersion::V1 || host->prepared) probe_limits(*host, checks);
  } else {
    checks.push_back({Area::Native, "cgroup", false, host.error().message(), host.error().hint()});
  }
}

bool write_file(const char* file, const char* text) {
  const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const auto size = static_cast<ssize_t>(std::strlen(text));
  const bool written = ::write(fd, text, static_cast<std::size_t>(size)) == size;
  const int code = errno;
  ::close(fd);
  errno = code;
  return written;
}

/// Steps of the child; its exit code names the first that failed.
constexpr std::array<const char*, 4> kSteps = {
    "making a user namespace", "denying setgroups in it (/proc/self/setgroups)",
    "mapping our user in it (/proc/self/uid_map)",
    "making mount, pid, network, ipc, uts and cgroup namespaces in it"};

/// Runs in the forked child: async-signal-safe calls only, `map` was prepared by the parent.
[[noreturn]] void try_namespaces(const char* map, int report) {
  int step = 0;
  const auto fail = [&] {
    const std::array<int, 2> trouble = {step, errno};
    (void)!::write(report, trouble.data(), sizeof trouble);
    ::_exit(1);
  };
  if (::unshare(CLONE_NEWUSER) != 0) fail();
  step = 1;
  if (!write_file("/proc/self/setgroups", "deny")) fail();
  step = 2;
  if (!write_file("/proc/self/uid_map", map)) fail();
  step = 3;
  constexpr int kOthers =
      CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  if (::unshare(kOthers) != 0) fail();
  ::_exit(0);
}

bool sysctl_is(const char* file, const char* value) {
  const auto text = sys::read_file(file);
  return text && text->starts_with(value);
}

}  // namespace

std::string trouble_with_namespaces() {
  std::array<char, 64> map{};
  std::snprintf(map.data(), map.size(), "0 %u 1", static_cast<unsigned>(::geteuid()));
  auto report = sys::make_pipe();
  if (!report) return report.error().message();
  const pid_t child = ::fork();
  if (child == 0) try_namespaces(map.data(), report->write.get());
  if (child < 0) return std::string("fork: ") + strerrordesc_np(errno);
  report->write.reset();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::array<int, 2> trouble{};
  if (::read(report->read.get(), trouble.data(), sizeof trouble) != sizeof trouble) return "";
  return std::string(kSteps[static_cast<std::size_t>(trouble[0])]) + ": " +
         strerrordesc_np(trouble[1]);
}

std::string fix_for_namespaces() {
  if (sysctl_is("/proc/sys/user/max_user_namespaces", "0")) {
    return "sysctl -w user.max_user_namespaces=15000";
  }
  if (sysctl_is("/proc/sys/kernel/unprivileged_userns_clone", "0")) {
    return "sysctl -w kernel.unprivileged_userns_clone=1";
  }
  if (sysctl_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1")) {
    return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile that "
           "allows `userns` to pybox and boxd";
  }
  return "use the vm engine: `pybox vm start`";
}

DoctorCheck boxd_check(Area area) {
  const auto boxd = engine::find_boxd();
  if (boxd) return {area, "boxd", true, boxd->string(), ""};
  return {area, "boxd", false, boxd.error().message(), boxd.error().hint()};
}

void probe_native(std::vector<DoctorCheck>& checks) {
  checks.push_back(boxd_check(Area::Native));
  probe_cgroups(checks);
  const std::string trouble = trouble_with_namespaces();
  checks.push_back({Area::Native, "namespaces", trouble.empty(),
                    trouble.empty() ? "user, mount, pid, network, ipc, uts, cgroup" : trouble,
                    fix_for_namespaces()});
  const bool overlay = file_has_word("/proc/filesystems", "overlay");
  checks.push_back({Area::Native, "overlayfs", overlay,
                    overlay ? "the kernel has it" : "the kernel does not have it",
                    "modprobe overlay"});
  const bool filter = file_has_word("/proc/sys/kernel/seccomp/actions_avail", "kill_process");
  checks.push_back({Area::Native, "seccomp", filter,
                    filter ? "filters may be loaded" : "the kernel lacks seccomp filters",
                    "use a kernel with CONFIG_SECCOMP_FILTER, or the vm engine"});
}

}  // namespace pybox::cli
