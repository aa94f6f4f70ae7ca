#include "cli/commands/run_command.hpp"

#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/words/command.hpp"
#include "cli/words/help.hpp"
#include "cli/words/parser.hpp"

namespace pybox::cli {
namespace {

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

/// The words that are no command: `pybox`, `pybox --help`, `pybox vm --help`, `pybox --version`.
std::optional<Result<int>> answer_without_command(std::span<const std::string> words) {
  if (words.empty()) {
    say(overview_text(all_commands()));
    return Result<int>(exit_code::kUsage);
  }
  if (asks_for_help(words[0])) {
    auto printed = print(overview_text(all_commands()));
    return printed ? Result<int>(exit_code::kOk) : Result<int>(std::move(printed).error());
  }
  if (words[0] == "--version") return kVersion.run({}, {});
  if (words.size() == 2 && asks_for_help(words[1])) {
    const std::string text = group_text(words[0], all_commands());
    if (text.empty()) return std::nullopt;
    auto printed = print(text);
    return printed ? Result<int>(exit_code::kOk) : Result<int>(std::move(printed).error());
  }
  return std::nullopt;
}

Result<int> carry_out(std::span<const std::string> words, const Surroundings& around) {
  if (auto answered = answer_without_command(words)) return *std::move(answered);
  const Parsed parsed = PYBOX_TRY(parse(words, all_commands()));
  if (parsed.wants_help) {
    PYBOX_TRY(print(help_text(*parsed.command)));
    return exit_code::kOk;
  }
  return parsed.command->run(parsed.words, around);
}

}  // namespace

int run_command(std::span<const std::string> words) {
  const Surroundings around{.terminal = probe_terminal()};
  auto code = carry_out(words, around);
  if (code) return *code;
  say(error_text(code.error(), around.terminal.colour));
  return exit_code_for(code.error().kind());
}

}  // namespace pybox::cli
