#pragma once
/// Which accelerator a VM is started with: KVM where it works, else emulation (TCG). One rule for
/// the VM and for the builder's. Starts nothing itself.
///
/// A start that fails for a reason of its own (QEMU was killed, no memory, the emulator's race) is
/// tried again with the same accelerator. Only a failure of KVM's own leads to TCG at once, and
/// only when TCG then does what KVM did not is that remembered: what fails with both says nothing
/// of KVM.

#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "vm/config.hpp"
#include "vm/kvm.hpp"

namespace pybox::vm {

struct FailedStart {
  Error error;
  Blame blame = Blame::Nobody;
  bool final = false;  ///< not to be tried again in any way
};

/// One start: nullopt when it went well. Keeps what it started.
using TryStart = std::function<std::optional<FailedStart>(Accelerator)>;

struct AcceleratorRules {
  AcceleratorChoice choice = AcceleratorChoice::Auto;
  KvmMemory memory;
  std::function<std::optional<std::string>()> why_no_kvm = vm::why_no_kvm;
  std::function<void(const std::string&)> notice;  ///< what the user should know
};

/// QEMU's emulation of several processors has a race when a kernel patches its own code ("Oops:
/// int3", QEMU before 8.1); the kernel then panics and the VM ends. Trying again helps.
constexpr int kStartAttempts = 3;

/// Starts until one start went well; the accelerator it had. Error: of the last start, or
/// HostCannot when KVM was asked for and cannot be had.
Result<Accelerator> start_accelerated(const AcceleratorRules& rules, const TryStart& start);

}  // namespace pybox::vm
