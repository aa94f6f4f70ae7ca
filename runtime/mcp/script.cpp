#include "mcp/script.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "mcp/result_text.hpp"
#include "pypi/pep440.hpp"
#include "pypi/pep723.hpp"

namespace pybox::mcp {
namespace {

/// Whether the server's Python is one that the script takes.
Result<void> check_python(const pypi::InlineScript& script, const Operator& allowed) {
  if (!script.requires_python) return {};
  const auto version = pypi::parse_python_version(allowed.python);
  const auto specifiers = PYBOX_TRY(pypi::parse_specifiers(*script.requires_python));
  if (version && pypi::matches(specifiers, *version, allowed.python)) return {};
  return Error(
      ErrorKind::Refused,
      fmt::format("the script requires Python {}, and this server has {} (set by the server)",
                  visible(*script.requires_python), allowed.python));
}

Result<std::vector<pypi::Dependency>> merge(const pypi::InlineScript& script, const Asked& asked) {
  std::vector<pypi::Dependency> all = script.dependencies;
  for (std::size_t i = 0; i < asked.dependencies.size(); ++i) {
    auto one = pypi::parse_dependency(asked.dependencies[i]);
    if (!one) return std::move(one).error().context(fmt::format("`dependencies[{}]`", i));
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace

Result<builder::ScriptNeeds> script_needs(const Asked& asked, const Operator& allowed) {
  builder::ScriptNeeds needs;
  needs.name = "the script";
  needs.python = allowed.python;
  needs.script =
      PYBOX_TRY_CONTEXT(pypi::read_inline_script(asked.request.program), "the script's metadata");
  PYBOX_TRY(check_python(needs.script, allowed));
  needs.script.dependencies = PYBOX_TRY(merge(needs.script, asked));
  if (needs.script.dependencies.empty() || allowed.packages != Packages::None) return needs;
  return Error(
             ErrorKind::Refused,
             fmt::format("the script needs `{}`, and this server installs no packages (set by the "
                         "server)",
                         visible(needs.script.dependencies.front().name)))
      .hint(
          "use the standard library; the operator may start the server with `--packages locked` "
          "or `--packages any`");
}

Result<void> take_packages(Request& request, const builder::ScriptNeeds& needs,
                           const Operator& allowed) {
  if (needs.script.dependencies.empty()) return {};
  const builder::ScriptImage image = PYBOX_TRY(allowed.script_image(needs));
  request.image = image.name;
  request.python = image.python;
  const Limits before = request.limits;
  request.limits = limits_for_image(image.name);
  request.limits.stdout_bytes = before.stdout_bytes;
  request.limits.stderr_bytes = before.stderr_bytes;
  return {};
}

Validation validate_script(const Asked& asked, const Operator& allowed) {
  const auto script = pypi::read_inline_script(asked.request.program);
  if (!script)
    return {false, "invalid: the script's metadata cannot be read\n" + error_words(script.error())};
  const auto dependencies = merge(*script, asked);
  if (!dependencies)
    return {false, "invalid: a dependency cannot be read\n" + error_words(dependencies.error())};
  const auto python = check_python(*script, allowed);
  if (!python)
    return {false, "invalid: the script does not match this server's Python\n" +
                       error_words(python.error())};
  std::string text = "valid\n";
  text += script->line > 0 ? fmt::format("metadata: PEP 723 block at line {}\n", script->line)
                           : "metadata: none\n";
  if (!script->almost.empty()) text += "warning: " + visible(script->almost) + "\n";
  text += fmt::format("requires-python: {}\nPython of this server: {}\n",
                      script->requires_python ? visible(*script->requires_python) : "not said",
                      allowed.python);
  text += fmt::format("dependencies: {}\n", dependencies->size());
  for (const pypi::Dependency& one : *dependencies) text += "  " + pypi::to_requirements({one});
  text +=
      "only checked as text: nothing was run, resolved or downloaded, and no engine was asked\n";
  return {true, text};
}

}  // namespace pybox::mcp
