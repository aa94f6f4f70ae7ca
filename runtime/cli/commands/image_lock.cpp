#include <array>
#include <filesystem>

#include "base/text.hpp"
#include "builder/builder.hpp"
#include "builder/script_image.hpp"
#include "cli/commands/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/words/lock_words.hpp"
#include "run/builder_setting.hpp"
#include "sys/file.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kPositionals = {
    Positional{"REQS.in|SCRIPT.py", "dependencies, one a line, or a script that names them"},
};
constexpr std::array kOptions = {
    Option{"-o", "FILE", "the lock (default: stdout, or beside the script)"},
    Option{"--python", "V", "the Python version (default: 3.13 if allowed)"},
    Option{"--engine", "vm|native", "where uv runs (default: a box, else a VM)"},
};
constexpr std::string_view kDetails =
    R"(uv picks wheels for this host's platform, in a builder: a throwaway VM (or box)
with network and nothing of this host. The lock of SCRIPT.py is
pylock.SCRIPT.toml beside it (PEP 751), made from its `# /// script` block (PEP
723); `pybox exec SCRIPT.py --with-deps` then uses it. FILE has the same format
if its name ends in .toml.)";

Result<int> run(const Words& words, const Surroundings&) {
  LockPlan plan = PYBOX_TRY(lock_plan(words));
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  plan.request.python = PYBOX_TRY_CONTEXT(
      builder::choose_python(plan.requires_python, plan.python, builder::installed_pythons(dirs)),
      plan.shown);
  const builder::BuilderSetting setting = PYBOX_TRY(run::builder_setting(words.value("--engine")));
  std::string made = PYBOX_TRY(with_progress(ProgressMode::Auto, [&](Progress& progress) {
    return builder::resolve_lock(setting, plan.request, progress);
  }));
  const std::string text = with_origin(plan, std::move(made));
  // What came out of a builder is believed no more than any other lock.
  const pypi::Lock lock = PYBOX_TRY_CONTEXT(parse_made_lock(plan, text), "the lock that uv made");
  if (plan.output) {
    PYBOX_TRY_CONTEXT(sys::replace_file(*plan.output, text, 0644), "writing the lock");
  } else {
    PYBOX_TRY(print(text));
  }
  say(lock_summary(plan, lock));
  return 0;
}

}  // namespace

const Command kImageLock{
    .name = "image lock",
    .summary = "Pin dependencies to versions and hashes",
    .synopsis = "REQS.in|SCRIPT.py [OPTIONS]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
