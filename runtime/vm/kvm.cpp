#include "vm/kvm.hpp"

#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "sys/fd.hpp"

namespace pybox::vm {

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

}  // namespace pybox::vm
