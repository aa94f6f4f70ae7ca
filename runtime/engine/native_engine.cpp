#include "engine/boxd_path.hpp"
#include "engine/conversation.hpp"
#include "engine/engine.hpp"
#include "sys/process.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::engine {
namespace {

/// boxd as a child of this process, for one run. It has its own session, so that a Ctrl-C reaches
/// only us, and it outlives us until its box is gone.
class NativeEngine final : public Engine {
 public:
  explicit NativeEngine(image::Image image) : image_(std::move(image)) {}

  Result<RunAnswer> run(const link::RunOrder& order, const Console& console) override {
    const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
    auto ends = PYBOX_TRY(sys::make_socket_pair());
    sys::SpawnPlan plan;
    plan.program = PYBOX_TRY(find_boxd());
    plan.args = {
        "--link", "3", "--state", dirs.home.string(), "--image", image_.id, image_.rootfs.string()};
    plan.fds = {{ends.second.get(), 3}};
    plan.new_session = true;
    sys::Child boxd = PYBOX_TRY(sys::spawn(plan));
    ends.second.reset();
    Result<RunReport> report = converse(ends.first.get(), order, console);
    // It ends by itself when the link does; killing it could cut its cleaning short.
    ends.first.reset();
    boxd.disown();
    if (!report) return std::move(report).error();
    return RunAnswer{{}, std::move(report).value()};
  }

 private:
  image::Image image_;
};

}  // namespace

std::unique_ptr<Engine> make_native_engine(image::Image image) {
  return std::make_unique<NativeEngine>(std::move(image));
}

}  // namespace pybox::engine
