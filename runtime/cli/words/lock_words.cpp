#include "cli/words/lock_words.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "builder/script_image.hpp"
#include "pypi/dependency.hpp"
#include "pypi/pep723.hpp"
#include "request/limits.hpp"
#include "sys/file.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;

bool is_pylock(const fs::path& path) { return path.extension() == ".toml"; }

Result<void> plan_script(const std::string& text, LockPlan& plan) {
  const pypi::InlineScript script = PYBOX_TRY_CONTEXT(pypi::read_inline_script(text), plan.shown);
  if (script.line == 0) {
    const std::string why =
        script.almost.empty() ? "it has no `# /// script` block (PEP 723)" : script.almost;
    return Error(ErrorKind::Refused, plan.shown + ": " + why);
  }
  if (script.dependencies.empty()) {
    return Error(ErrorKind::Refused, plan.shown + ": its block names no dependency to lock");
  }
  plan.block = script.block;
  plan.requires_python = script.requires_python;
  plan.request.requirements = pypi::to_requirements(script.dependencies);
  return {};
}

}  // namespace

Result<LockPlan> lock_plan(const Words& words) {
  using Format = builder::ResolveRequest::Format;
  const fs::path file = words.positionals.front();
  LockPlan plan;
  plan.shown = visible(file.filename().string());
  if (const auto python = words.value("--python")) plan.python = std::string(*python);
  if (const auto output = words.value("-o")) plan.output = fs::path(*output);
  auto text =
      sys::read_file(file, std::max(ceiling::kProgramBytes, Bytes{pypi::kMaxRequirementsBytes}));
  if (!text) return std::move(text).error().as(ErrorKind::Usage);
  if (file.extension() != ".py") {
    const auto dependencies = PYBOX_TRY_CONTEXT(pypi::parse_requirements_in(*text), plan.shown);
    plan.request.requirements = pypi::to_requirements(dependencies);
    plan.request.format =
        plan.output && is_pylock(*plan.output) ? Format::Pylock : Format::Requirements;
    return plan;
  }
  PYBOX_TRY(plan_script(*text, plan));
  plan.request.format = Format::Pylock;
  if (!plan.output) {
    plan.output = file.parent_path() / pypi::pylock_name_of(file.filename().string());
  } else if (!is_pylock(*plan.output)) {
    return Error(ErrorKind::Usage, "the lock of a script is a pylock.toml (PEP 751); `-o` names `" +
                                       visible(plan.output->string()) + "`");
  }
  return plan;
}

std::string with_origin(const LockPlan& plan, std::string text) {
  if (!plan.block) return text;
  if (!text.ends_with('\n')) text += '\n';
  return text + "\n[tool.pybox]\nblock = \"" + builder::digest_of_block(*plan.block) +
         "\"\npython = \"" + plan.request.python + "\"\n";
}

Result<pypi::Lock> parse_made_lock(const LockPlan& plan, std::string_view text) {
  return plan.request.format == builder::ResolveRequest::Format::Pylock
             ? pypi::parse_pylock(text)
             : pypi::parse_requirements_lock(text);
}

std::string lock_summary(const LockPlan& plan, const pypi::Lock& lock) {
  const std::size_t count = lock.pins.size();
  const std::string where = plan.output ? visible(plan.output->string()) + ": " : "";
  return where + std::to_string(count) + (count == 1 ? " package" : " packages") + " for Python " +
         plan.request.python + "\n";
}

}  // namespace pybox::cli
