#pragma once
/// What the VM layer needs and does not look for itself: it knows neither settings nor images.

#include "base/result.hpp"
#include "request/settings.hpp"
#include "vm/config.hpp"

namespace pybox::run {

/// Settings, guest kernel, base image, QEMU and boxd of this PYBOX_HOME. Error kind HostCannot or
/// Refused, with a hint, for what is missing.
Result<vm::Config> vm_config();

/// PYBOX_VM_ACCELERATOR (auto, kvm, tcg; nullptr or empty: not set) before the file's
/// `vm_accelerator`. Error kind Usage.
Result<vm::AcceleratorChoice> accelerator_choice(const char* variable, const Settings& settings);

}  // namespace pybox::run
