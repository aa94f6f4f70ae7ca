#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/join.hpp"
#include "campaign/cli/choose_checks.hpp"
#include "campaign/cli/commands.hpp"
#include "campaign/cli/list_json.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array kOptions = {
    cli::Option{"--area", "A", "only the checks of one area"},
    cli::Option{"--engine", "E", "only checks for one engine: vm or native"},
    cli::Option{"--checks", "DIR", "checks from a folder instead of those compiled in"},
    cli::Option{"--json", "", "print them as JSON"}};

constexpr std::string_view kDetails =
    R"(Each line names the protections that the check's control arm leaves out. A check
for both engines is listed once.)";

/// Rows of one check: both engines in one line.
std::string list_text(const std::vector<Check>& checks) {
  if (checks.empty()) return "no checks\n";
  std::size_t width = 0;
  for (const Check& check : checks) width = std::max(width, check.id.size());
  std::string text, area;
  std::size_t count = 0;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const Check& check = checks[i];
    std::string engines(name_of(check.engine));
    while (i + 1 < checks.size() && checks[i + 1].id == check.id)
      engines += "," + std::string(name_of(checks[++i].engine));
    if (check.area != area) {
      text += fmt::format("{}{}\n", area.empty() ? "" : "\n", check.area);
      area = check.area;
    }
    ++count;
    text += fmt::format("  {:<{}}  {:<9}  {}  {}\n", check.id, width, engines, check.claim,
                        check.cut.empty() ? "" : "[" + join(check.cut) + "]");
  }
  return text + fmt::format("\n{} checks, {} with their engines\n", count, checks.size());
}

Result<int> run(const cli::Words& words, const cli::Surroundings&) {
  const CheckSources sources = PYBOX_TRY(sources_from(words));
  const std::vector<Check> checks = PYBOX_TRY(choose_checks(sources, words));
  PYBOX_TRY(cli::print(words.has("--json") ? list_json(checks) : list_text(checks)));
  return 0;
}

}  // namespace

const cli::Command kList{
    .name = "list",
    .summary = "List the checks, their claims and what their controls leave out",
    .synopsis = "[--area A] [--json]",
    .positionals = {},
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
    .program = kProgram,
};

}  // namespace pybox::campaign
