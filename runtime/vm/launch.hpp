#pragma once
/// From a configuration to a machine that answers: resumed from its saved state when there is one
/// that fits, else booted, warmed up and saved; with KVM where it works, else emulated
/// (vm/accelerate.hpp). A guest or a QEMU that ends by itself on the way is tried again, with a
/// notice each time, a bounded number of times.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "vm/config.hpp"
#include "vm/kvm.hpp"
#include "vm/machine.hpp"
#include "vm/qemu_process.hpp"

namespace pybox::vm {

/// How the stage of a guest that boots begins, again or for the first time: what it said before is
/// void.
constexpr std::string_view kBootStage = "booting the guest";

/// Who watches a start.
struct StartWatcher {
  std::function<void(std::string_view)> stage;   ///< "starting the guest"
  std::function<void(std::string_view)> notice;  ///< what the user should know
  /// True: nobody waits any more. Asked at least every 50 ms while the guest is waited for, so that
  /// it may also do what else is due.
  std::function<bool()> aborted;
};

struct Launched {
  std::unique_ptr<Machine> machine;
  Accelerator accelerator = Accelerator::Tcg;
  bool resumed = false;
  bool warm = false;                 ///< it has run a box since QEMU started (vm/warm_up.hpp)
  std::vector<std::string> images;   ///< ids the guest has mounted
  std::vector<std::string> notices;  ///< all that were given
};

/// What a launch asks of the host; tests put their own in its place.
struct LaunchHost {
  std::function<Result<QemuProcess>(const std::filesystem::path& program,
                                    const std::vector<std::string>& arguments)>
      start_qemu = vm::start_qemu;
  std::function<std::optional<std::string>()> why_no_kvm = vm::why_no_kvm;
  /// How long a guest under KVM, which boots in a second, may say nothing while it boots.
  Nanos kvm_silence = std::chrono::seconds(10);
};

/// `console` must outlive the machine. On an error nothing is left running.
Result<Launched> launch(const Config& config, ConsoleLog& console, const StartWatcher& watcher,
                        const LaunchHost& host = {});

/// A Hello with fresh entropy and the time.
link::Frame hello(bool resumed);

}  // namespace pybox::vm
