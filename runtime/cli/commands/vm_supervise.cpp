#include "cli/commands/vm.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/terminal/terminal.hpp"
#include "run/vm_config.hpp"
#include "vm/start.hpp"
#include "vm/supervisor.hpp"

namespace pybox::cli {

int supervise_vm() {
  if (!vm::has_starter()) {
    say("error: only `pybox vm start` starts a supervisor\n");
    return exit_code::kUsage;
  }
  const auto serve = []() -> Result<void> {
    const vm::Config config = PYBOX_TRY(run::vm_config());
    return vm::supervise(config, vm::report_to_starter());
  };
  const Result<void> served = serve();
  if (served) return exit_code::kOk;
  vm::report_failure(served.error());
  say(error_text(served.error(), false));  // for the log
  return exit_code_for(served.error().kind());
}

}  // namespace pybox::cli
