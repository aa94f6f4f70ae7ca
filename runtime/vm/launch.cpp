#include "vm/launch.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/crashpoint.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "link/control.hpp"
#include "sys/file.hpp"
#include "vm/accelerate.hpp"
#include "vm/guest_clock.hpp"
#include "vm/initramfs.hpp"
#include "vm/qemu_command.hpp"
#include "vm/saved_state.hpp"
#include "vm/warm_up.hpp"

namespace pybox::vm {
namespace {

namespace fs = std::filesystem;

/// How long until the guest answers. An emulated boot takes 3 s on a quiet host and ten times that
/// on a busy one.
constexpr Nanos kKvmBootPatience = std::chrono::seconds(30);
constexpr Nanos kTcgBootPatience = std::chrono::seconds(240);
constexpr Nanos kResumePatience = std::chrono::seconds(30);
constexpr Nanos kMigratePatience = std::chrono::seconds(120);
constexpr int kResumeAttempts = 2;
/// An empty program takes 2 s on a quiet host under emulation.
constexpr Nanos kWarmUpPatience = std::chrono::seconds(60);
/// A number that no run of a client has: those count from 1.
constexpr std::uint64_t kWarmUpRun = std::uint64_t{1} << 62U;
constexpr Nanos kLook = Millis(50);

class Launcher {
 public:
  Launcher(const Config& config, ConsoleLog& console, const StartWatcher& watcher,
           const LaunchHost& host)
      : config_(config), console_(console), watcher_(watcher), host_(host), store_(config.dirs) {}

  Result<Launched> run();

 private:
  std::optional<FailedStart> attempt(Accelerator accelerator);
  Result<void> launch_with(Accelerator accelerator);
  Result<void> resume(const fs::path& file);
  Result<void> resume_patiently(const fs::path& file);
  Result<void> boot(Accelerator accelerator, const std::string& key);
  Result<void> warm_up();
  Result<void> save(const std::string& key);
  Result<void> wait_migrated();
  Result<void> greet(bool resumed, Nanos patience, std::optional<Nanos> silence = {});
  Result<void> start_machine(const std::vector<std::string>& arguments);
  Machine& machine() { return *launched_.machine; }
  Error end_of(const char* doing);
  Error with_last_words(std::string text) const;
  void notice(const std::string& text);

  const Config& config_;
  ConsoleLog& console_;
  const StartWatcher& watcher_;
  const LaunchHost& host_;
  StateStore store_;
  Initramfs initramfs_;
  std::vector<std::string> arguments_;
  std::vector<std::string> boot_arguments_;  ///< the same, and what differs from boot to boot
  std::vector<std::string> notices_;
  Launched launched_;    ///< as far as it is
  bool silent_ = false;  ///< the attempt ended because nothing came
};

void Launcher::notice(const std::string& text) {
  notices_.push_back(text);
  watcher_.notice(text);
}

Error aborted() { return {ErrorKind::Interrupted, "the start was interrupted"}; }

Result<Launched> Launcher::run() {
  initramfs_ = PYBOX_TRY(place_initramfs(config_));
  const AcceleratorRules rules{config_.accelerator, KvmMemory{config_.dirs.vm(), config_.qemu},
                               host_.why_no_kvm, [this](const std::string& text) { notice(text); }};
  launched_.accelerator = PYBOX_TRY(
      start_accelerated(rules, [this](Accelerator accelerator) { return attempt(accelerator); }));
  launched_.notices = std::move(notices_);
  return std::move(launched_);
}

std::optional<FailedStart> Launcher::attempt(Accelerator accelerator) {
  silent_ = false;
  const Result<void> launched = launch_with(accelerator);
  if (launched) return std::nullopt;
  Blame blame = launched_.machine ? machine().blame() : Blame::Nobody;
  if (blame == Blame::Nobody && silent_) blame = Blame::Silence;
  launched_ = {};
  return FailedStart{launched.error(), blame, watcher_.aborted()};
}

Result<void> Launcher::launch_with(Accelerator accelerator) {
  QemuPlan plan;
  plan.accelerator = accelerator;
  plan.memory = config_.memory;
  plan.cpus = config_.cpus;
  plan.vmlinuz = config_.vmlinuz;
  plan.initramfs = initramfs_.file;
  plan.base_image = config_.base.file;
  plan.base_serial = serial_of(config_.base.image_id);
  if (config_.first) {
    plan.kernel_words = " rdinit=/first";
    plan.first_disk = config_.first->disk;
  }
  arguments_ = qemu_arguments(plan);
  const std::string processor = PYBOX_TRY(sys::read_file("/proc/cpuinfo"));
  const std::string key =
      PYBOX_TRY(state_key({config_.qemu, arguments_, config_.kernel_id, initramfs_.digest,
                           config_.base.image_id, processor_facts(processor)}));
  if (const std::optional<fs::path> file = store_.find(key)) {
    const Result<void> resumed = resume_patiently(*file);
    if (watcher_.aborted()) return aborted();
    if (resumed) return {};
    notice("the saved VM cannot be used (" + resumed.error().message() + "); starting it again");
  }
  store_.remove_others(std::nullopt);
  plan.kernel_words += clock_words(accelerator);
  boot_arguments_ = qemu_arguments(plan);
  return boot(accelerator, key);
}

Result<void> Launcher::resume_patiently(const fs::path& file) {
  for (int attempt = 1;; ++attempt) {
    const Result<void> resumed = resume(file);
    if (resumed || attempt == kResumeAttempts || watcher_.aborted()) return resumed;
    // A damaged file stays damaged.
    if (resumed.error().kind() == ErrorKind::Evidence) return resumed;
    notice("the guest did not resume (" + resumed.error().message() + "); trying again");
  }
}

Result<void> Launcher::start_machine(const std::vector<std::string>& arguments) {
  launched_ = {};
  QemuProcess qemu = PYBOX_TRY(host_.start_qemu(config_.qemu, arguments));
  launched_.machine = std::make_unique<Machine>(std::move(qemu), console_);
  const Result<void> agreed = machine().agree();
  if (agreed) return {};
  return machine().blame() == Blame::Kvm ? end_of("QEMU")
                                         : with_last_words(agreed.error().message());
}

Error Launcher::end_of(const char* doing) {
  // The words of a KVM that gave up are dumps of registers, which are for the log.
  if (machine().blame() == Blame::Kvm)
    return Error(ErrorKind::HostCannot, "KVM does not run the guest")
        .hint("`pybox vm logs` shows what QEMU said");
  return with_last_words(std::string(doing) + ": " +
                         machine().broken().value_or("it does not answer"));
}

Error Launcher::with_last_words(std::string text) const {
  // The last line is usually the reason.
  std::string_view tail = console_.tail();
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == '\r')) tail.remove_suffix(1);
  const std::string_view last = tail.substr(tail.rfind('\n') + 1);
  if (!last.empty()) text += ", after saying `" + visible(last.substr(0, 200)) + "`";
  return Error(ErrorKind::HostCannot, text).hint("`pybox vm logs` shows the guest's console");
}

/// A guest that says nothing for `silence` is given up before `patience` is over.
Result<void> Launcher::greet(bool resumed, Nanos patience, std::optional<Nanos> silence) {
  machine().send(hello(resumed));
  const Nanos began = monotonic_now();
  while (!machine().broken()) {
    if (watcher_.aborted()) return aborted();
    machine().pump(kLook);
    while (const auto frame = machine().next_frame()) {
      if (frame->type == link::FrameType::Failed)
        return Error(ErrorKind::HostCannot, PYBOX_TRY(link::failed_from(frame->head)).message);
      if (frame->type != link::FrameType::Ready) continue;
      launched_.images = PYBOX_TRY(link::ready_from(frame->head)).images;
      return {};
    }
    const Nanos now = monotonic_now();
    silent_ = now >= began + patience ||
              (silence && now >= std::max(began, machine().heard()) + *silence);
    if (silent_) break;
  }
  return end_of("the guest");
}

Result<void> Launcher::boot(Accelerator accelerator, const std::string& key) {
  const bool kvm = accelerator == Accelerator::Kvm;
  watcher_.stage(std::string(kBootStage) + (kvm ? " with KVM" : ", emulated"));
  PYBOX_TRY(start_machine(boot_arguments_));
  PYBOX_TRY(kvm ? greet(false, kKvmBootPatience, host_.kvm_silence)
                : greet(false, kTcgBootPatience));
  PYBOX_TRY(warm_up());
  launched_.warm = true;
  return save(key);
}

/// The first box makes the kernel patch its own code in many places (its static keys: cgroups,
/// quotas, name spaces), which is where the emulator's race strikes. Done before the state is
/// saved, a resumed guest need not do it again.
Result<void> Launcher::warm_up() {
  watcher_.stage("warming up the guest");
  machine().send(warm_up_order(kWarmUpRun, config_.base.image_id, config_.cpus));
  const Nanos deadline = monotonic_now() + kWarmUpPatience;
  while (!machine().broken() && monotonic_now() < deadline) {
    if (watcher_.aborted()) return aborted();
    machine().pump(kLook);
    while (const auto frame = machine().next_frame()) {
      if (frame->run != kWarmUpRun) continue;
      // Both come when nothing of the box is left. A box that was refused is the first run's to
      // tell; it is no reason to refuse a start.
      if (frame->type == link::FrameType::Report || frame->type == link::FrameType::Failed)
        return {};
    }
  }
  return end_of("the guest's first box");
}

Result<void> Launcher::wait_migrated() {
  const Nanos deadline = monotonic_now() + kMigratePatience;
  while (monotonic_now() < deadline) {
    if (watcher_.aborted()) return aborted();
    const std::string answer = PYBOX_TRY(machine().execute("query-migrate"));
    const std::string status = qmp_text(answer, "status").value_or("");
    if (status == "completed") return {};
    if (status == "failed" || status == "cancelled") {
      return Error(ErrorKind::HostCannot,
                   "QEMU says: " + qmp_text(answer, "error-desc").value_or(status));
    }
    machine().pump(Millis(2));
  }
  return Error(ErrorKind::HostCannot, "QEMU did not finish in time");
}

/// A state that cannot be written costs the next start a boot; it is no reason to refuse this one.
/// Error: the guest is lost.
Result<void> Launcher::save(const std::string& key) {
  watcher_.stage("saving the guest");
  machine().expect_stop(true);
  PYBOX_TRY(machine().execute("stop"));
  const auto write = [&]() -> Result<void> {
    const sys::Fd file = PYBOX_TRY(store_.begin());
    PYBOX_TRY(
        machine().execute("migrate-set-parameters", {{"max-bandwidth", std::uint64_t{1} << 40U}}));
    PYBOX_TRY(machine().execute("getfd", {{"fdname", std::string("state")}}, file.get()));
    PYBOX_TRY(machine().execute("migrate", {{"uri", std::string("fd:state")}}));
    PYBOX_TRY(wait_migrated());
    PYBOX_CRASHPOINT("state-written");
    Result<void> committed = store_.commit(file, key);
    PYBOX_CRASHPOINT("state-committed");
    return committed;
  };
  const Result<void> written = write();
  if (!written) {
    store_.remove_others(std::nullopt);
    if (watcher_.aborted()) return aborted();
    if (machine().broken()) return end_of("the guest, while it was saved");
    notice("the VM could not be saved (" + written.error().message() +
           "); the next start boots again");
  }
  machine().expect_stop(false);  // from here on a guest that stops has stopped unasked
  PYBOX_TRY(machine().execute("cont"));
  // This guest goes on with the very random state that is now in the file.
  return greet(true, kResumePatience);
}

Result<void> Launcher::resume(const fs::path& file) {
  watcher_.stage("resuming the guest");
  const sys::Fd state = PYBOX_TRY(store_.open(file));
  std::vector<std::string> arguments = arguments_;
  arguments.insert(arguments.end(), {"-incoming", "defer"});
  PYBOX_TRY(start_machine(arguments));
  launched_.resumed = true;
  machine().expect_stop(true);
  PYBOX_TRY(machine().execute("getfd", {{"fdname", std::string("state")}}, state.get()));
  PYBOX_TRY(machine().execute("migrate-incoming", {{"uri", std::string("fd:state")}}));
  PYBOX_TRY(wait_migrated());
  machine().expect_stop(false);
  PYBOX_TRY(machine().execute("cont"));
  return greet(true, kResumePatience);
}

}  // namespace

link::Frame hello(bool resumed) {
  constexpr std::size_t kEntropy = 64;
  std::string entropy(kEntropy, '\0');
  random_fill({reinterpret_cast<std::uint8_t*>(entropy.data()), entropy.size()});
  return {link::FrameType::Hello, 0, link::hello_head({wall_now(), resumed}), std::move(entropy)};
}

Result<Launched> launch(const Config& config, ConsoleLog& console, const StartWatcher& watcher,
                        const LaunchHost& host) {
  return Launcher(config, console, watcher, host).run();
}

}  // namespace pybox::vm
