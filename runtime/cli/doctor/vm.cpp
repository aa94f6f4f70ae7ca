#include <unistd.h>

#include "base/clock.hpp"
#include "cli/doctor/probes.hpp"
#include "store/kernel.hpp"
#include "sys/runner.hpp"
#include "sys/tools.hpp"
#include "vm/client.hpp"
#include "vm/kvm.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::cli {
namespace {

using Area = DoctorCheck::Area;

std::string install(const std::string& tool) {
  return "apt-get install " + std::string(sys::package_of_tool(tool));
}

DoctorCheck qemu_check() {
  const std::string name = vm::qemu_program();
  DoctorCheck check{Area::Vm, "QEMU", false, name + " is not in PATH", install(name)};
  const auto program = sys::find_program(name);
  if (!program) return check;
  sys::SpawnPlan plan;
  plan.program = *program;
  plan.args = {"--version"};
  plan.environment = sys::tool_environment();
  const auto told = sys::run_tool(plan, std::chrono::seconds(10));
  check.ok = told && told->ok();
  check.detail = program->string() +
                 (check.ok ? ": " + told->out.substr(0, told->out.find('\n')) : " does not run");
  return check;
}

/// What a start of the VM would find, asked in the same way.
DoctorCheck kvm_check(const sys::StateDirs& dirs, const Result<vm::Status>& running) {
  DoctorCheck check{Area::Vm, "KVM", false, "", "", false};
  const vm::KvmMemory memory(dirs.vm(),
                             sys::find_program(vm::qemu_program()).value_or(vm::qemu_program()));
  const std::optional<std::string> host_says = vm::why_no_kvm();
  const auto why = vm::why_skip_kvm(host_says, memory, wall_now());
  check.ok = !why;
  check.detail = why ? *why + "; QEMU emulates (TCG), slower" : "/dev/kvm runs a guest's code";
  if (::access("/dev/kvm", F_OK) != 0) {
    check.fix = "switch virtualisation on in the firmware, `modprobe kvm`";
  } else if (::access("/dev/kvm", R_OK | W_OK) != 0) {
    check.fix = "usermod -aG kvm $USER, then log in again";
  } else if (why && !host_says) {
    check.fix = "rm " + memory.file().string() + ", to try it again now";
  } else if (!why && running && running->running && running->accelerator != "kvm") {
    // What the start found out weighs more than a few instructions.
    check.ok = false;
    check.detail += ", but the running VM is emulated: `pybox vm status` says why";
  }
  return check;
}

DoctorCheck kernel_check(const sys::StateDirs& dirs) {
  const auto kernel = store::find_kernel(dirs);
  if (kernel) return {Area::Vm, "guest kernel", true, kernel->release, ""};
  return {Area::Vm, "guest kernel", false, kernel.error().message(), "pybox setup"};
}

DoctorCheck running_check(const Result<vm::Status>& status) {
  DoctorCheck check{Area::Vm, "VM", false, "not running", "pybox vm start", false};
  if (!status) {
    check.detail = status.error().message();
  } else if (status->running) {
    check.ok = true;
    check.detail = "running on " + status->accelerator;
  }
  return check;
}

}  // namespace

void probe_vm(const sys::StateDirs& dirs, std::vector<DoctorCheck>& checks) {
  const auto running = vm::status_of(dirs);
  checks.push_back(boxd_check(Area::Vm));
  checks.push_back(qemu_check());
  checks.push_back(kvm_check(dirs, running));
  checks.push_back(kernel_check(dirs));
  checks.push_back(running_check(running));
}

void probe_setup_tools(std::vector<DoctorCheck>& checks) {
  for (const char* tool : {"mmdebstrap", "apt-get", "dpkg-deb", "mkfs.erofs", "tar"}) {
    const auto program = sys::find_program(tool);
    checks.push_back({Area::Setup, tool, program.has_value(),
                      program ? program->string() : "not in PATH", install(tool), false});
  }
}

}  // namespace pybox::cli
