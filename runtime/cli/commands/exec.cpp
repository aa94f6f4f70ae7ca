#include "cli/commands/commands.hpp"
#include "cli/commands/exec_run.hpp"
#include "cli/commands/script_needs.hpp"
#include "cli/words/exec_words.hpp"

namespace pybox::cli {
namespace {

Result<int> run(const Words& words, const Surroundings& around) {
  const ExecOptions options = PYBOX_TRY(exec_options(words, around.terminal));
  ExecParts parts{around.terminal, run::parts_of_this_host(), {}};
  parts.image_for_script = [&](const sys::StateDirs& dirs, const builder::ScriptNeeds& needs) {
    const bool silent = options.quiet || options.json;
    return script_image_by_builder(dirs, needs, options.engine,
                                   silent ? ProgressMode::Quiet : ProgressMode::Auto);
  };
  return run_exec(options, parts);
}

}  // namespace

const Command kExec = exec_command(run);

}  // namespace pybox::cli
