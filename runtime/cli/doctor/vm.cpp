#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "cli/doctor/probes.hpp"
#include "store/kernel.hpp"
#include "sys/fd.hpp"
#include "sys/runner.hpp"
#include "sys/tools.hpp"
#include "vm/client.hpp"
#include "vm/kvm.hpp"

namespace pybox::cli {
namespace {

using Area = DoctorCheck::Area;

#if defined(__aarch64__)
constexpr const char* kQemu = "qemu-system-aarch64";
#else
constexpr const char* kQemu = "qemu-system-x86_64";
#endif

std::string install(const std::string& tool) {
  return "apt-get install " + std::string(sys::package_of_tool(tool));
}

DoctorCheck qemu_check() {
  DoctorCheck check{Area::Vm, "QEMU", false, std::string(kQemu) + " is not in PATH",
                    install(kQemu)};
  const auto program = sys::find_program(kQemu);
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

/// Whether KVM was tried here and did not run a machine, which no look at the device tells.
bool kvm_has_failed(const sys::StateDirs& dirs) {
  const auto qemu = sys::find_program(kQemu);
  return qemu && vm::KvmMemory(dirs.vm(), *qemu).has_failed();
}

DoctorCheck kvm_check(const sys::StateDirs& dirs, const Result<vm::Status>& running) {
  DoctorCheck check{Area::Vm, "KVM", false, "", "", false};
  const sys::Fd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
  if (!kvm.is_open()) {
    const int code = errno;
    check.detail =
        std::string("/dev/kvm: ") + strerrordesc_np(code) + "; QEMU emulates (TCG), slower";
    check.fix = code == ENOENT ? "switch virtualisation on in the firmware, `modprobe kvm`"
                               : "usermod -aG kvm $USER, then log in again";
    return check;
  }
  check.ok = ::ioctl(kvm.get(), KVM_GET_API_VERSION, 0) == KVM_API_VERSION;
  check.detail = check.ok ? "/dev/kvm may be opened" : "/dev/kvm speaks another version";
  if (running && running->running && running->accelerator != "kvm") {
    // What the start found out weighs more than a device that opens.
    check.ok = false;
    check.detail += ", but the running VM is emulated: `pybox vm status` says why";
  } else if (check.ok && kvm_has_failed(dirs)) {
    check.ok = false;
    check.detail += ", but it ran no VM when it was tried; QEMU emulates (TCG), slower";
    check.fix = "rm " + (dirs.vm() / "kvm-failed").string() + ", to try it again";
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
