#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "campaign/world/arm_run.hpp"
#include "campaign/world/witnesses.hpp"
#include "campaign/world/worlds.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"
#include "sys/runner.hpp"
#include "vm/client.hpp"
#include "vm/launch.hpp"
#include "vm/lock.hpp"
#include "vm/start.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

/// From boxd's answer until the plant has said what stands where, on a busy emulated guest.
constexpr Nanos kVmPlantPatience = std::chrono::seconds(60);
constexpr Nanos kVmEndPatience = std::chrono::seconds(15);
/// A server in the guest tells what it noticed within 20 ms, over an emulated serial line.
constexpr Nanos kVmNoticePatience = Millis(80);
constexpr Nanos kLook = Millis(20);
constexpr const char* kWorlds = "worlds";

/// Removes the folders of worlds whose campaign and VM were both killed: nobody locks those.
void sweep(const fs::path& worlds) {
  std::error_code error;
  for (const fs::path& world : sys::entries_of(worlds, error)) {
    const auto folder = sys::open_path(world, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (folder && ::flock(folder->get(), LOCK_EX | LOCK_NB) == 0)
      (void)sys::remove_tree(world).has_value();
  }
}

std::vector<std::string> environment_for(const sys::StateDirs& dirs) {
  std::vector<std::string> environment = {"PYBOX_HOME=" + dirs.home.string()};
  for (const char* name : {"HOME", "PATH", "PYBOX_VM_ACCELERATOR", "XDG_CONFIG_HOME"}) {
    if (const char* value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

class VmWorld final : public World {
 public:
  VmWorld(std::string canary, WorldBoxd boxd, const WorldSettings& settings)
      : canary_(std::move(canary)),
        boxd_(boxd),
        settings_(settings),
        witnesses_("pybox-world " + canary_ + " ") {}
  ~VmWorld() override;

  Result<void> open(Progress& progress);
  const std::string& canary() const override { return canary_; }
  std::string ask_world_json() const override { return *witnesses_.planted(); }
  Result<RunReport> run(const ArmOrder& order) override;
  std::vector<std::string> take_witnesses() override;

 private:
  Result<void> start(Progress& progress);
  Result<void> wait_planted();
  Result<void> renew();
  void read_console();
  void forget_earlier_guest();
  Result<void> pause(Nanos time) const;

  std::string canary_;
  WorldBoxd boxd_;
  WorldSettings settings_;
  fs::path folder_;
  sys::StateDirs dirs_;  ///< the VM's own
  sys::Fd lock_, life_;
  sys::Child supervisor_;
  Witnesses witnesses_;
  std::uint64_t console_at_ = 0;
  bool spoiled_ = false;  ///< an arm with own_world has run since the last start
};

VmWorld::~VmWorld() {
  life_.reset();  // the supervisor's sign to end, and to remove the folder
  (void)supervisor_.wait(kVmEndPatience).has_value();
  supervisor_ = {};
  if (!folder_.empty()) (void)sys::remove_tree(folder_).has_value();
}

Result<void> VmWorld::pause(Nanos time) const {
  pollfd cancel{settings_.cancel_fd, POLLIN, 0};
  const timespec wait = to_timespec(time);
  if (::ppoll(&cancel, 1, &wait, nullptr) > 0)
    return Error(ErrorKind::Interrupted, "the start was interrupted");
  return {};
}

/// A guest that boots plants anew, at other places; what an earlier one said is void.
void VmWorld::forget_earlier_guest() {
  std::error_code none;
  const std::uint64_t size = fs::file_size(vm::console_path(dirs_), none);
  console_at_ = none ? 0 : size;
  witnesses_ = Witnesses("pybox-world " + canary_ + " ");
}

Result<void> VmWorld::start(Progress& progress) {
  sys::Pipe told = PYBOX_TRY(sys::make_pipe());
  sys::Pipe life = PYBOX_TRY(sys::make_pipe());
  const sys::Fd log =
      PYBOX_TRY(sys::open_path(folder_ / "supervisor.log", O_WRONLY | O_CREAT | O_APPEND, 0600));
  sys::SpawnPlan plan;
  plan.program = settings_.programs / "campaign-vm";
  plan.args = {folder_, (settings_.programs / program_of(boxd_)).string(),
               (settings_.programs / "campaign-plant").string(), canary_};
  plan.environment = environment_for(settings_.dirs);
  plan.fds = {
      {log.get(), 2}, {told.write.get(), vm::kStartPipe}, {life.read.get(), 4}, {lock_.get(), 5}};
  plan.new_session = true;
  supervisor_ = PYBOX_TRY(sys::spawn(plan));
  life_ = std::move(life.write);
  told.write.reset();
  vm::StartWatcher watcher;
  watcher.stage = [&](std::string_view text) {
    progress.stage(text);
    if (text.starts_with(vm::kBootStage)) forget_earlier_guest();
  };
  watcher.notice = [&](std::string_view text) { progress.note(text); };
  vm::SupervisorWords words(std::move(told.read), watcher, settings_.cancel_fd);
  const Error lost(ErrorKind::HostCannot, "campaign-vm ended before its VM was ready");
  PYBOX_TRY_CONTEXT(words.until_ready(lost), "starting the world's VM");
  progress.stage("");
  return {};
}

void VmWorld::read_console() {
  const fs::path file = vm::console_path(dirs_);
  const auto console = sys::open_path(file, O_RDONLY | O_NOFOLLOW);
  if (!console) return;
  struct stat status {};
  // A full log is moved away and begun again.
  if (::fstat(console->get(), &status) == 0 &&
      static_cast<std::uint64_t>(status.st_size) < console_at_) {
    console_at_ = 0;
  }
  std::array<char, 16384> chunk;
  for (ssize_t n = 0; (n = ::pread(console->get(), chunk.data(), chunk.size(),
                                   static_cast<off_t>(console_at_))) > 0;) {
    console_at_ += static_cast<std::uint64_t>(n);
    witnesses_.feed({chunk.data(), static_cast<std::size_t>(n)});
  }
}

Result<void> VmWorld::wait_planted() {
  const Nanos until = monotonic_now() + kVmPlantPatience;
  for (read_console(); !witnesses_.planted(); read_console()) {
    if (!witnesses_.failure().empty())
      return Error(ErrorKind::HostCannot, "in the guest: " + witnesses_.failure());
    if (monotonic_now() > until)
      return Error(ErrorKind::HostCannot, "the guest does not say what is planted in it");
    PYBOX_TRY(pause(kLook));
  }
  return {};
}

Result<void> VmWorld::open(Progress& progress) {
  const fs::path worlds = settings_.dirs.home / kWorlds;
  PYBOX_TRY(sys::ensure_private_dir(worlds));
  sweep(worlds);
  folder_ = worlds / random_hex(4);
  PYBOX_TRY(sys::ensure_private_dir(folder_));
  dirs_ = {folder_ / "home", folder_ / "run", folder_ / "config.json"};
  lock_ = PYBOX_TRY(sys::open_path(folder_, O_RDONLY | O_DIRECTORY));
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    return Error::from_errno(errno, "locking " + folder_.string());
  PYBOX_TRY(start(progress));
  return wait_planted();
}

/// The VM as it was saved, before any box. The life pipe stays open, so its folder stays.
Result<void> VmWorld::renew() {
  PYBOX_TRY(vm::stop(dirs_));
  (void)PYBOX_TRY(supervisor_.wait(kVmEndPatience));
  NoProgress nobody;
  const std::string before = ask_world_json();
  PYBOX_TRY(start(nobody));
  PYBOX_TRY(wait_planted());
  if (ask_world_json() == before) return {};
  return Error(ErrorKind::Io, "the saved VM could not be used, and a new one is another world");
}

Result<RunReport> VmWorld::run(const ArmOrder& order) {
  if (witnesses_.process_gone() || spoiled_ || order.check.own_world) PYBOX_TRY(renew());
  witnesses_.forget_the_process();
  spoiled_ = order.check.own_world;
  const store::Image image =
      PYBOX_TRY(store::find_image(settings_.dirs, order.check.image, Request{}.python));
  const sys::Fd link = PYBOX_TRY(vm::connect(dirs_));
  return run_over(link.get(), order_for(order, image, EngineKind::Vm), order.cancel_fd);
}

std::vector<std::string> VmWorld::take_witnesses() {
  (void)pause(kVmNoticePatience).has_value();
  read_console();
  return witnesses_.take();
}

}  // namespace

Result<std::unique_ptr<World>> open_vm_world(WorldBoxd boxd, const WorldSettings& settings,
                                             Progress& progress) {
  auto world = std::make_unique<VmWorld>(fresh_canary(), boxd, settings);
  PYBOX_TRY(world->open(progress));
  return std::unique_ptr<World>(std::move(world));
}

}  // namespace pybox::campaign
