#include "campaign/cli/commands.hpp"

#include <array>
#include <optional>

#include "cli/terminal/exit_code.hpp"
#include "cli/words/help.hpp"
#include "cli/words/parser.hpp"

namespace pybox::campaign {
namespace {

constexpr std::string_view kPurposeOfCampaign =
    "Attack every claim of PyBox, with its protection and without, and record the results";

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

Result<int> carry_out(std::span<const std::string> words, const cli::Surroundings& around) {
  if (words.empty()) {
    cli::say(overview());
    return cli::exit_code::kUsage;
  }
  if (asks_for_help(words[0])) {
    PYBOX_TRY(cli::print(overview()));
    return cli::exit_code::kOk;
  }
  const cli::Parsed parsed = PYBOX_TRY(cli::parse(words, all_commands()));
  if (!parsed.wants_help) return parsed.command->run(parsed.words, around);
  PYBOX_TRY(cli::print(cli::help_text(*parsed.command)));
  return cli::exit_code::kOk;
}

}  // namespace

std::span<const cli::Command* const> all_commands() {
  // One a line: whoever adds a command meets nobody.
  // clang-format off
  static const std::array kAll = {
      &kList,
      &kRun,
      &kReport,
      &kDiff,
      &kVerify,
      &kPublish,
      &kRecord,
      &kReplay,
      &kBench,
  };
  // clang-format on
  return kAll;
}

std::string overview() { return cli::overview_text(all_commands(), kPurposeOfCampaign); }

int run_command(std::span<const std::string> words) {
  const cli::Surroundings around{.terminal = cli::probe_terminal()};
  auto code = carry_out(words, around);
  if (code) return *code;
  cli::say(cli::error_text(code.error(), around.terminal.colour));
  return cli::exit_code_for(code.error().kind());
}

}  // namespace pybox::campaign
