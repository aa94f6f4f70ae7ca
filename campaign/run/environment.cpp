#include "campaign/run/environment.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "campaign/run/driver.hpp"
#include "campaign/run/redact.hpp"
#include "sys/cgroup.hpp"
#include "sys/file.hpp"
#include "sys/runner.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

using Facts = std::map<std::string, std::string>;

constexpr const char* kUnknown = "unknown";
/// The crash builds stand there only where they were built.
constexpr const char* kPrograms[] = {"boxd",        "boxd-campaign",  "crash/boxd",
                                     "crash/pybox", "campaign-plant", "campaign-vm"};

std::string text_in(const fs::path& file) {
  const auto text = sys::read_file(file, 1_MiB);
  return text ? std::string(trimmed(text.value())) : kUnknown;
}

/// The value of the first line "KEY : VALUE" or "KEY: VALUE".
std::string line_value(const std::string& text, std::string_view key) {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    line.remove_prefix(colon + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return std::string(line);
  }
  return kUnknown;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string version_of(const char* program) {
  sys::SpawnPlan plan;
  plan.program = program;
  plan.args = {"--version"};
  plan.environment = sys::tool_environment();
  const auto said = sys::run_tool(plan, std::chrono::seconds(10));
  return said && said.value().ok() ? first_line(said.value().out) : "none";
}

void add_kernel(Facts& facts) {
  utsname names{};
  if (::uname(&names) == 0) {
    facts["kernel.release"] = names.release;
    facts["kernel.version"] = names.version;
    facts["machine"] = names.machine;
  }
  facts["kernel.lsm"] = text_in("/sys/kernel/security/lsm");
  for (const char* name :
       {"kernel/unprivileged_bpf_disabled", "kernel/perf_event_paranoid",
        "kernel/io_uring_disabled", "kernel/kptr_restrict", "kernel/yama/ptrace_scope",
        "vm/overcommit_memory", "user/max_user_namespaces", "dev/tty/legacy_tiocsti"})
    facts["sysctl." + std::string(name)] = text_in(fs::path("/proc/sys") / name);
}

void add_hardware(Facts& facts) {
  const std::string cpu = text_in("/proc/cpuinfo");
  facts["cpu.model"] = line_value(cpu, "model name");
  facts["cpu.count"] = std::to_string(std::thread::hardware_concurrency());
  const std::string memory = text_in("/proc/meminfo");
  facts["memory"] = line_value(memory, "MemTotal");
  facts["swap"] = line_value(memory, "SwapTotal");
  facts["kvm"] = ::access("/dev/kvm", R_OK | W_OK) == 0 ? "usable"
                 : ::access("/dev/kvm", F_OK) == 0      ? "not permitted"
                                                        : "none";
}

void add_cgroup(Facts& facts) {
  const auto host = sys::probe_cgroup_host();
  facts["cgroup"] = !host                                            ? "none usable"
                    : host.value().version == sys::CgroupVersion::V1 ? "v1"
                                                                     : "v2";
}

}  // namespace

Facts environment_facts(const Redactor& redactor) {
  Facts facts;
  add_kernel(facts);
  add_hardware(facts);
  add_cgroup(facts);
  facts["user"] = ::geteuid() == 0 ? "root" : "ordinary";
  facts["os"] = line_value(text_in("/etc/os-release"), "PRETTY_NAME");
  facts["qemu"] = version_of(vm::qemu_program().c_str());
  facts["python"] = version_of("python3");
  facts["compiler"] = PYBOX_COMPILER;
  facts["build"] = PYBOX_BUILD_TYPE;
  facts["pybox"] = PYBOX_VERSION;
  const char* ci = std::getenv("CI");
  facts["runner"] = ci != nullptr && *ci != '\0' ? "ci" : "by hand";
  // man 5 machine-id: an application must not show it, but may show a keyed hash of it.
  const std::string machine = text_in("/etc/machine-id");
  facts["machine.hmac"] = machine == kUnknown ? kUnknown : keyed_digest("pybox evidence", machine);
  for (auto& [name, fact] : facts) fact = redactor.clean(fact);
  return facts;
}

Result<Facts> tool_digests(const fs::path& programs) {
  Facts digests;
  const auto add = [&](const fs::path& file, const std::string& name) -> Result<void> {
    std::error_code absent;
    if (!fs::exists(file, absent)) return {};
    Sha256 digest;
    const std::string bytes = PYBOX_TRY(sys::read_file(file, Bytes{std::uint64_t{1} << 30U}));
    digest.update(bytes);
    digests[name] = digest.hex();
    return {};
  };
  for (const char* name : kPrograms) PYBOX_TRY(add(programs / name, name));
  PYBOX_TRY(add(pybox_of(programs), "pybox"));
  PYBOX_TRY(add("/proc/self/exe", "campaign"));
  return digests;
}

fs::path source_beside(const fs::path& programs) {
  // build/PRESET/bin
  const fs::path root = programs.parent_path().parent_path().parent_path();
  std::error_code absent;
  if (fs::exists(root / "CMakePresets.json", absent) && fs::exists(root / "runtime", absent))
    return root;
  return {};
}

}  // namespace pybox::campaign
