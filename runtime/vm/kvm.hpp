#pragma once
/// Whether KVM works on this host, and what is remembered where only a whole guest shows that it
/// does not.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"

namespace pybox::vm {

/// nullopt when KVM runs code as a guest does: 64-bit, with page tables, and with an instruction
/// that only a processor can carry out (some hosts offer a KVM that emulates, and stops at it).
/// Else the reason for people. Takes some milliseconds, never more than two seconds.
std::optional<std::string> why_no_kvm();

/// The same with code of the caller's, which must end with what kKvmSign says. For tests.
std::optional<std::string> why_kvm_does_not_run(std::span<const std::uint8_t> code, Nanos patience);

/// `mov al, 'P'; out 0x80, al`: how the guest says that it got here.
constexpr std::uint8_t kKvmSign[] = {0xb0, 'P', 0xe6, 0x80};

/// A host whose KVM did not run a guest is not asked again for a day, or until its kernel, QEMU or
/// processor change.
class KvmMemory {
 public:
  struct Failure {
    Nanos when{};     ///< since the epoch
    std::string why;  ///< for people
  };

  /// `folder` is $PYBOX_HOME/vm, `qemu` an absolute path.
  KvmMemory(std::filesystem::path folder, std::filesystem::path qemu)
      : file_(std::move(folder) / "kvm-failed"), qemu_(std::move(qemu)) {}

  const std::filesystem::path& file() const { return file_; }
  /// nullopt: none, or it counts no more. `now`: since the epoch.
  std::optional<Failure> failure(Nanos now) const;
  /// Best effort: without it the next start tries again.
  void remember(const Failure& failure) const;

 private:
  std::string host() const;
  std::filesystem::path file_;
  std::filesystem::path qemu_;
};

/// Why KVM is not worth a try now: what why_no_kvm() says, else what is remembered.
std::optional<std::string> why_skip_kvm(const std::optional<std::string>& host_says,
                                        const KvmMemory& memory, Nanos now);

}  // namespace pybox::vm
