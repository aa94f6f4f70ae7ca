#include <algorithm>

#include "base/clock.hpp"
#include "base/line_cutter.hpp"
#include "base/text.hpp"
#include "builder/vm.hpp"
#include "vm/accelerate.hpp"
#include "vm/console_log.hpp"
#include "vm/machine.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::builder {
namespace {

constexpr std::size_t kKept = 4U << 20U;
constexpr std::size_t kMaxLine = 4096;
constexpr Nanos kTick = Millis(100);
/// From QEMU's start to the guest's first word. An emulated boot takes 3 s on a quiet host.
constexpr Nanos kBootPatience = std::chrono::seconds(240);

/// One VM from start to end.
class Builder {
 public:
  Builder(const BuilderVmOrder& order, Progress& progress, const vm::LaunchHost& host,
          std::filesystem::path qemu, vm::ConsoleLog& log)
      : order_(order), progress_(progress), host_(host), qemu_(std::move(qemu)), log_(log) {}

  std::optional<vm::FailedStart> attempt(vm::Accelerator accelerator);
  const sys::ToolResult& ended() const { return ended_; }

 private:
  Result<void> run(vm::Accelerator accelerator);
  Result<void> follow(Nanos silence);
  Result<void> judge() const;
  bool kernel_broke() const { return ended_.out.find("Kernel panic") != std::string::npos; }
  void hear(std::string_view bytes);

  const BuilderVmOrder& order_;
  Progress& progress_;
  const vm::LaunchHost& host_;
  std::filesystem::path qemu_;
  vm::ConsoleLog& log_;
  std::optional<vm::Machine> machine_;
  std::optional<LineCutter> lines_;
  std::function<void(std::string_view)> line_;
  sys::ToolResult ended_;
  bool began_ = false;   ///< the guest has said something of its own
  bool silent_ = false;  ///< it never did, and was given up
};

std::optional<vm::FailedStart> Builder::attempt(vm::Accelerator accelerator) {
  began_ = silent_ = false;
  ended_ = {};
  lines_.emplace(kMaxLine);
  line_ = order_.follow();
  log_.share([this](std::string_view bytes) { hear(bytes); });
  const Result<void> ran = run(accelerator);
  log_.share({});
  vm::Blame blame = machine_ ? machine_->blame() : vm::Blame::Nobody;
  if (blame == vm::Blame::Nobody && silent_) blame = vm::Blame::Silence;
  machine_.reset();
  if (ran) return std::nullopt;
  if (blame == vm::Blame::Kvm)
    return vm::FailedStart{{ErrorKind::HostCannot, "KVM does not run the guest"}, blame};
  // A build starts from nothing, so one whose kernel broke is simply done again.
  return vm::FailedStart{ran.error(), blame, began_ && !kernel_broke()};
}

Result<void> Builder::run(vm::Accelerator accelerator) {
  const bool kvm = accelerator == vm::Accelerator::Kvm;
  progress_.stage(kvm ? "starting the builder VM with KVM" : "starting the builder VM, emulated");
  PYBOX_TRY(order_.make_result());
  BuilderVmPlan plan = order_.plan;
  plan.accelerator = accelerator;
  vm::QemuProcess qemu = PYBOX_TRY(host_.start_qemu(qemu_, qemu_arguments(plan)));
  machine_.emplace(std::move(qemu), log_);
  if (machine_->agree()) PYBOX_TRY(follow(kvm ? host_.kvm_silence : kBootPatience));
  return judge();
}

/// Until QEMU has ended.
Result<void> Builder::follow(Nanos silence) {
  const Nanos deadline = monotonic_now() + order_.patience;
  while (!machine_->broken()) {
    const Nanos now = monotonic_now();
    silent_ = !began_ && now >= machine_->heard() + silence;
    if (silent_) return Error(ErrorKind::HostCannot, "the builder VM does not boot");
    if (now >= deadline) {
      return Error(ErrorKind::HostCannot,
                   "the builder VM did not end within " + human_seconds(order_.patience));
    }
    machine_->pump(kTick);
    progress_.tick();
  }
  return {};
}

/// A guest that ended its job powers off, and QEMU ends well.
Result<void> Builder::judge() const {
  if (kernel_broke()) return Error(ErrorKind::HostCannot, "the builder VM's kernel broke");
  const auto& status = machine_->ended();
  if (status && !status->by_signal && status->code == 0 && began_) return {};
  return Error(ErrorKind::HostCannot,
               "the builder VM: " + machine_->broken().value_or("QEMU does not answer"))
      .hint("`pybox vm logs` shows its console");
}

void Builder::hear(std::string_view bytes) {
  ended_.out += bytes.substr(0, kKept - std::min(kKept, ended_.out.size()));
  lines_->feed(bytes);
  while (const auto line = lines_->next()) {
    began_ = began_ || line->find(kBuilderMark) != std::string::npos;
    line_(*line);
  }
}

}  // namespace

std::filesystem::path builder_console_path(const sys::StateDirs& dirs) {
  return dirs.vm() / "builder.log";
}

Result<sys::ToolResult> run_builder_vm(const BuilderVmOrder& order, Progress& progress,
                                       const vm::LaunchHost& host) {
  const std::filesystem::path qemu = PYBOX_TRY(vm::find_qemu());
  vm::ConsoleLog log = PYBOX_TRY(vm::ConsoleLog::open(builder_console_path(order.dirs)));
  Builder builder(order, progress, host, qemu, log);
  const vm::AcceleratorRules rules{order.accelerator, vm::KvmMemory(order.dirs.vm(), qemu),
                                   host.why_no_kvm,
                                   [&](const std::string& text) { progress.note(text); }};
  (void)PYBOX_TRY(vm::start_accelerated(
      rules, [&](vm::Accelerator accelerator) { return builder.attempt(accelerator); }));
  return builder.ended();
}

}  // namespace pybox::builder
