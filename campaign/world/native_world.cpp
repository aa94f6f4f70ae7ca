#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "campaign/world/arm_run.hpp"
#include "campaign/world/planted.hpp"
#include "campaign/world/witnesses.hpp"
#include "campaign/world/worlds.hpp"
#include "sys/cgroup.hpp"
#include "sys/runner.hpp"

namespace pybox::campaign {
namespace {

constexpr Nanos kNativePlantPatience = std::chrono::seconds(10);
/// A server tells what it noticed within 20 ms.
constexpr Nanos kNativeNoticePatience = Millis(60);
/// A boxd whose link has ended removes its last box and ends.
constexpr Nanos kNativeEndPatience = std::chrono::seconds(15);

/// Where files are planted. Root covers a folder that every host has (Filesystem Hierarchy Standard
/// 3.0) in the world's own mount namespace; nothing we need may be below.
std::string folder_for(const WorldSettings& settings) {
  if (::geteuid() != 0) return "/tmp/pybox-outside-" + random_hex(8);
  for (const char* folder : {"/mnt", "/media", "/srv"}) {
    const std::string below = std::string(folder) + "/";
    if (::access(folder, F_OK) == 0 && !settings.dirs.home.string().starts_with(below) &&
        !settings.programs.string().starts_with(below)) {
      return folder;
    }
  }
  return "/media";
}

class NativeWorld final : public World {
 public:
  NativeWorld(std::string canary, WorldBoxd boxd, const WorldSettings& settings)
      : canary_(std::move(canary)), boxd_(boxd), settings_(settings) {}
  ~NativeWorld() override {
    socket_.reset();  // the planter's sign to end
    (void)planter_.wait(kNativeEndPatience).has_value();
  }

  Result<void> open();
  const std::string& canary() const override { return canary_; }
  std::string ask_world_json() const override { return *witnesses_.planted(); }
  Result<RunReport> run(const ArmOrder& order) override;
  std::vector<std::string> take_witnesses() override {
    (void)listen(kNativeNoticePatience).has_value();
    return witnesses_.take();
  }

 private:
  Result<void> listen(Nanos patience);
  Result<sys::Child> start_boxd(const sys::Fd& link) const;

  std::string canary_;
  WorldBoxd boxd_;
  WorldSettings settings_;
  std::string folder_;
  sys::Fd socket_;
  sys::Child planter_;
  Witnesses witnesses_{""};
};

/// Takes what the planter says within `patience`. Error: it has gone.
Result<void> NativeWorld::listen(Nanos patience) {
  const Nanos until = monotonic_now() + patience;
  for (;;) {
    pollfd ready{socket_.get(), POLLIN, 0};
    const timespec wait = to_timespec(std::max(Nanos{0}, until - monotonic_now()));
    if (::ppoll(&ready, 1, &wait, nullptr) <= 0) return {};
    std::array<char, 4096> chunk;
    const ssize_t n = ::read(socket_.get(), chunk.data(), chunk.size());
    if (n <= 0) return Error(ErrorKind::Io, "campaign-plant has ended");
    witnesses_.feed({chunk.data(), static_cast<std::size_t>(n)});
    if (witnesses_.planted() && patience == kNativePlantPatience) return {};
  }
}

Result<void> NativeWorld::open() {
  // Said here, and not by every single arm: this host can limit no box.
  PYBOX_TRY(sys::probe_cgroup_host());
  auto ends = PYBOX_TRY(sys::make_socket_pair());
  sys::SpawnPlan plan;
  plan.program = settings_.programs / "campaign-plant";
  folder_ = folder_for(settings_);
  plan.args = {"host", canary_, folder_};
  plan.fds = {{ends.second.get(), 3}};
  plan.new_session = true;
  planter_ = PYBOX_TRY(sys::spawn(plan));
  ends.second.reset();
  socket_ = std::move(ends.first);
  const Result<void> heard = listen(kNativePlantPatience);
  if (witnesses_.planted()) return {};
  const std::string& why = witnesses_.failure();
  if (!why.empty()) return Error(ErrorKind::HostCannot, why);
  return heard ? Error(ErrorKind::Io, "campaign-plant does not answer") : heard.error();
}

Result<sys::Child> NativeWorld::start_boxd(const sys::Fd& link) const {
  sys::SpawnPlan plan;
  plan.program = settings_.programs / "campaign-plant";
  plan.args = {"enter",   std::to_string(planter_.pid()),
               folder_,   (settings_.programs / program_of(boxd_)).string(),
               "--link",  "3",
               "--state", settings_.dirs.home.string()};
  plan.environment = {std::string(kOutsideVariable) + "=" + canary_ + ":env"};
  plan.fds = {{link.get(), 3}};
  plan.new_session = true;
  return sys::spawn(plan);
}

Result<RunReport> NativeWorld::run(const ArmOrder& order) {
  if (witnesses_.process_gone()) return Error(ErrorKind::Io, "the planted process has ended");
  const store::Image image =
      PYBOX_TRY(store::find_image(settings_.dirs, order.check.image, Request{}.python));
  auto ends = PYBOX_TRY(sys::make_socket_pair());
  sys::Child boxd = PYBOX_TRY(start_boxd(ends.second));
  ends.second.reset();
  Result<RunReport> report =
      run_over(ends.first.get(), order_for(order, image, EngineKind::Native), order.cancel_fd);
  ends.first.reset();
  const auto ended = PYBOX_TRY(boxd.wait(kNativeEndPatience));
  if (!ended) return Error(ErrorKind::Io, "boxd did not end after its run");
  return report;
}

}  // namespace

Result<std::unique_ptr<World>> open_native_world(WorldBoxd boxd, const WorldSettings& settings) {
  auto world = std::make_unique<NativeWorld>(fresh_canary(), boxd, settings);
  PYBOX_TRY(world->open());
  return std::unique_ptr<World>(std::move(world));
}

}  // namespace pybox::campaign
