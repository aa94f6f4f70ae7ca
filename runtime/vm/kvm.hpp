#pragma once
/// Whether this process may make KVM machines, asked of the kernel itself.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "vm/config.hpp"

namespace pybox::vm {

/// nullopt when /dev/kvm opens and a machine can be created with it (KVM_CREATE_VM), else the
/// reason for people, with the fix. A machine that can be created may still fail to run (nested or
/// paravirtual hosts): only a boot shows that.
std::optional<std::string> why_no_kvm();

/// A host where KVM was tried and failed is not tried again until its kernel or QEMU change.
class KvmMemory {
 public:
  /// `folder` is $PYBOX_HOME/vm, `qemu` an absolute path.
  KvmMemory(std::filesystem::path folder, std::filesystem::path qemu)
      : file_(std::move(folder) / "kvm-failed"), qemu_(std::move(qemu)) {}

  const std::filesystem::path& file() const { return file_; }
  bool has_failed() const;
  /// Best effort: without it the next start tries again.
  void remember_failure() const;

 private:
  std::string facts() const;
  std::filesystem::path file_;
  std::filesystem::path qemu_;
};

/// In the order to try them; `notice` hears why KVM is not among them. Error kind HostCannot when
/// KVM was asked for and cannot be had.
Result<std::vector<Accelerator>> accelerators_to_try(
    AcceleratorChoice choice, const KvmMemory& memory,
    const std::function<void(const std::string&)>& notice);

/// What to tell people when KVM turned out not to work.
std::string kvm_failure(const std::string& why);

}  // namespace pybox::vm
