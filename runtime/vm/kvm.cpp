#include "vm/kvm.hpp"

#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

#include <cerrno>
#include <system_error>

#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::vm {
namespace {

constexpr std::string_view kEmulated =
    "; the VM is emulated (TCG), which is slower and no hardware boundary";

}  // namespace

std::optional<std::string> why_no_kvm() {
  const sys::Fd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
  if (!kvm.is_open()) {
    if (errno == ENOENT) return "this host has no /dev/kvm";
    if (errno == EACCES) return "you may not open /dev/kvm (join the group that owns it)";
    return Error::from_errno(errno, "opening /dev/kvm").message();
  }
  const sys::Fd machine(::ioctl(kvm.get(), KVM_CREATE_VM, 0));
  if (!machine.is_open()) return Error::from_errno(errno, "making a KVM machine").message();
  return std::nullopt;
}

bool KvmMemory::has_failed() const {
  const auto remembered = sys::read_file(file_);
  return remembered && *remembered == facts();
}

void KvmMemory::remember_failure() const { (void)sys::replace_file(file_, facts()).has_value(); }

std::string KvmMemory::facts() const {
  utsname names{};
  ::uname(&names);
  std::error_code error;
  const auto size = std::filesystem::file_size(qemu_, error);
  return std::string(names.release) + " " + qemu_.string() + " " + std::to_string(size) + "\n";
}

Result<std::vector<Accelerator>> accelerators_to_try(
    AcceleratorChoice choice, const KvmMemory& memory,
    const std::function<void(const std::string&)>& notice) {
  if (choice == AcceleratorChoice::Tcg) return std::vector{Accelerator::Tcg};
  std::optional<std::string> why = why_no_kvm();
  if (choice == AcceleratorChoice::Kvm) {
    if (!why) return std::vector{Accelerator::Kvm};
    return Error(ErrorKind::HostCannot, "KVM was asked for, and " + *why)
        .hint("take `vm_accelerator` out of config.json to let PyBox choose");
  }
  if (!why && memory.has_failed())
    why = "it did not work here before (delete " + memory.file().string() + " to try again)";
  if (!why) return std::vector{Accelerator::Kvm, Accelerator::Tcg};
  notice("KVM is not used: " + *why + std::string(kEmulated));
  return std::vector{Accelerator::Tcg};
}

std::string kvm_failure(const std::string& why) {
  return "KVM does not work on this host (" + why + ")" + std::string(kEmulated);
}

}  // namespace pybox::vm
