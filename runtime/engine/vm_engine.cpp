#include <algorithm>

#include "engine/conversation.hpp"
#include "engine/engine.hpp"
#include "sys/state_dirs.hpp"
#include "vm/client.hpp"

namespace pybox::engine {
namespace {

/// Talks to the supervisor of the running VM. It never starts one: that is a person's decision.
class VmEngine final : public Engine {
 public:
  Result<RunAnswer> run(const link::RunOrder& order, const Console& console) override {
    const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
    const sys::Fd connection = PYBOX_TRY(vm::connect(dirs));
    const vm::Status status = PYBOX_TRY(vm::ask_status(connection, vm::AskGuest::No));
    RunReport report = PYBOX_TRY(converse(connection.get(), order, console));
    return RunAnswer{{status.accelerator, "shared"}, std::move(report)};
  }
};

}  // namespace

std::unique_ptr<Engine> make_vm_engine() { return std::make_unique<VmEngine>(); }

}  // namespace pybox::engine
