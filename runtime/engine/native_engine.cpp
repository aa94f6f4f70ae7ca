#include <optional>
#include <utility>

#include "engine/boxd_path.hpp"
#include "engine/conversation.hpp"
#include "engine/engine.hpp"
#include "sys/runner.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::engine {
namespace {

/// boxd as a child of this process, for one run. It has its own session, so that a Ctrl-C reaches
/// only us, and it outlives us until its box is gone.
class NativeEngine final : public Engine {
 public:
  void get_ready() override {
    if (!started_) started_ = start();
  }

  Result<RunAnswer> run(const link::RunOrder& order, const Console& console) override {
    get_ready();
    Result<Started> started = *std::exchange(started_, std::nullopt);
    if (!started) return std::move(started).error();
    Result<RunReport> report = converse(started->link.get(), order, console);
    // It ends by itself when the link does; killing it could cut its cleaning short.
    started->link.reset();
    started->boxd.disown();
    if (!report) return std::move(report).error();
    return RunAnswer{{}, std::move(report).value()};
  }

 private:
  struct Started {
    sys::Fd link;
    sys::Child boxd;
  };

  static Result<Started> start() {
    const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
    auto ends = PYBOX_TRY(sys::make_socket_pair());
    sys::SpawnPlan plan;
    plan.program = PYBOX_TRY(find_boxd());
    plan.args = {"--link", "3", "--state", dirs.home.string()};
    plan.fds = {{ends.second.get(), 3}};
    plan.new_session = true;
    return Started{std::move(ends.first), PYBOX_TRY(sys::spawn(plan))};
  }

  /// A boxd that was never given an order has no box and is ended with this.
  std::optional<Result<Started>> started_;
};

}  // namespace

std::unique_ptr<Engine> make_native_engine() { return std::make_unique<NativeEngine>(); }

}  // namespace pybox::engine
