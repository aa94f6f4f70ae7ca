#include "vm/accelerate.hpp"

#include "base/clock.hpp"

namespace pybox::vm {
namespace {

constexpr const char* kEmulated =
    "; the VM is emulated (TCG), which is slower and no hardware boundary";

struct Attempts {
  std::optional<FailedStart> failed;
  Nanos took{};  ///< the last one
};

Attempts attempt(const AcceleratorRules& rules, const TryStart& start, Accelerator accelerator) {
  for (int i = 1;; ++i) {
    const Nanos began = monotonic_now();
    std::optional<FailedStart> failed = start(accelerator);
    const Nanos took = monotonic_now() - began;
    const bool blamed = failed && failed->blame != Blame::Nobody && accelerator == Accelerator::Kvm;
    if (!failed || failed->final || blamed || i == kStartAttempts) return {std::move(failed), took};
    rules.notice("the guest did not start (" + failed->error.message() + "); trying again");
  }
}

Result<Accelerator> end_of(const Attempts& attempts, Accelerator accelerator) {
  if (attempts.failed) return attempts.failed->error;
  return accelerator;
}

}  // namespace

Result<Accelerator> start_accelerated(const AcceleratorRules& rules, const TryStart& start) {
  if (rules.choice == AcceleratorChoice::Tcg)
    return end_of(attempt(rules, start, Accelerator::Tcg), Accelerator::Tcg);
  const bool demanded = rules.choice == AcceleratorChoice::Kvm;
  const std::optional<std::string> host_says = rules.why_no_kvm();
  if (demanded && host_says) {
    return Error(ErrorKind::HostCannot, "KVM was asked for, and " + *host_says)
        .hint("take `vm_accelerator` out of config.json to let PyBox choose");
  }
  const auto skip = why_skip_kvm(host_says, rules.memory, wall_now());
  if (skip && !demanded) {
    rules.notice("KVM is not used: " + *skip + kEmulated);
    return end_of(attempt(rules, start, Accelerator::Tcg), Accelerator::Tcg);
  }
  const Attempts kvm = attempt(rules, start, Accelerator::Kvm);
  if (!kvm.failed || kvm.failed->final || demanded) return end_of(kvm, Accelerator::Kvm);
  const std::string why = kvm.failed->error.message();
  rules.notice("the VM did not start with KVM (" + why + ")" + kEmulated);
  const Attempts tcg = attempt(rules, start, Accelerator::Tcg);
  // A guest that was silent for longer than an emulated one then took had time enough.
  const bool proven = kvm.failed->blame == Blame::Kvm ||
                      (kvm.failed->blame == Blame::Silence && tcg.took < kvm.took);
  if (!tcg.failed && proven) rules.memory.remember({wall_now(), why});
  return end_of(tcg, Accelerator::Tcg);
}

}  // namespace pybox::vm
