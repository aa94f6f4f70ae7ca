#pragma once
/// Whether this process may make KVM machines, asked of the kernel itself.

#include <optional>
#include <string>

namespace pybox::vm {

/// nullopt when /dev/kvm opens and a machine can be created with it (KVM_CREATE_VM), else the
/// reason for people, with the fix. A machine that can be created may still fail to run (nested or
/// paravirtual hosts): only a boot shows that.
std::optional<std::string> why_no_kvm();

}  // namespace pybox::vm
