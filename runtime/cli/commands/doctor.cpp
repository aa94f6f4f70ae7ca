#include <array>

#include "cli/commands/commands.hpp"
#include "cli/commands/output_json.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/doctor/probes.hpp"
#include "cli/terminal/exit_code.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kOptions = {Option{"--json", "", "print JSON"}};

constexpr std::string_view kDetails =
    R"(Checks the host as it is now and suggests a fix for each problem. Exit code 0
when at least one engine is usable, else 125.)";

Result<int> run(const Words& words, const Surroundings& around) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  const std::vector<DoctorCheck> checks = examine(dirs);
  const bool usable =
      is_usable(checks, DoctorCheck::Area::Vm) || is_usable(checks, DoctorCheck::Area::Native);
  const bool colour = around.terminal.colour && around.terminal.out_is_terminal;
  PYBOX_TRY(print(words.has("--json") ? doctor_json(checks, usable) : doctor_text(checks, colour)));
  return usable ? exit_code::kOk : exit_code::kCannot;
}

}  // namespace

std::vector<DoctorCheck> examine(const sys::StateDirs& dirs) {
  std::vector<DoctorCheck> checks;
  probe_host_facts(checks);
  probe_state(dirs, checks);
  probe_vm(dirs, checks);
  probe_native(checks);
  probe_setup_tools(checks);
  return checks;
}

const Command kDoctor{
    .name = "doctor",
    .summary = "Check this host and suggest fixes",
    .synopsis = "[--json]",
    .positionals = {},
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
