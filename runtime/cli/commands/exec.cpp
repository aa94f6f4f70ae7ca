#include "cli/commands/commands.hpp"
#include "cli/commands/exec_run.hpp"
#include "cli/commands/script_needs.hpp"
#include "cli/words/exec_words.hpp"
#include "run/run_receipt.hpp"

namespace pybox::cli {
namespace {

Result<int> run(const Words& words, const Surroundings& around) {
  const ExecOptions options = PYBOX_TRY(exec_options(words, around.terminal));
  std::unique_ptr<engine::Engine> made;
  ExecParts parts;
  parts.terminal = around.terminal;
  parts.engine_for = [&](EngineKind kind) -> engine::Engine& {
    if (kind == EngineKind::Native && around.native != nullptr) return *around.native;
    made = run::make_engine(kind);
    return *made;
  };
  parts.find_image = store::find_image;
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
