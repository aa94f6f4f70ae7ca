#include "cli/words/help.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace pybox::cli {
namespace {

constexpr std::string_view kExitCodes =
    R"(0-255  the program's own; 128+n when its own signal n ended it
137    the kernel's out-of-memory kill took the program itself
124    the deadline or the box timer stopped it
125    PyBox could not do its job, or the box's removal is not confirmed
126    refused before any box was made
2      wrong usage
130    interrupted
)";

struct Row {
  std::string left;
  std::string_view right;
};

/// Two columns; the second starts at the same place in all rows.
std::string columns(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.left.size());
  std::string text;
  for (const Row& row : rows) text += fmt::format("  {:<{}}  {}\n", row.left, width, row.right);
  return text;
}

std::string option_label(const Option& option) {
  std::string label(option.name);
  if (!option.value.empty()) label += " " + std::string(option.value);
  return label;
}

/// The commands as the overview lists them: a group as one row.
std::vector<Row> overview_rows(std::span<const Command* const> commands) {
  std::vector<Row> rows;
  for (const Command* command : commands)
    rows.push_back({std::string(command->name), command->summary});
  return rows;
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out += "  " + std::string(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::string help_text(const Command& command) {
  std::string text =
      fmt::format("{}\n\nUsage: {} {}{}{}\n", command.summary, command.program, command.name,
                  command.synopsis.empty() ? "" : " ", command.synopsis);
  std::vector<Row> rows;
  for (const Positional& word : command.positionals)
    rows.push_back({std::string(word.name), word.help});
  if (!rows.empty()) text += "\n" + columns(rows);
  rows.clear();
  for (const Option& option : command.options) rows.push_back({option_label(option), option.help});
  rows.push_back({"-h, --help", "show this page"});
  text += "\nOptions:\n" + columns(rows);
  if (!command.details.empty()) text += fmt::format("\n{}\n", command.details);
  if (!command.program_option.empty()) {
    text += fmt::format("\nExit codes:\n{}", indented(kExitCodes));
  }
  return text;
}

std::string overview_text(std::span<const Command* const> commands, std::string_view purpose) {
  return fmt::format(
      "{}\n\n"
      "Usage: {} COMMAND [WORDS]\n\n"
      "Commands:\n{}\n"
      "`{} COMMAND --help` shows the words of a command\n",
      purpose, program_of(commands), columns(overview_rows(commands)), program_of(commands));
}

std::string group_text(std::string_view group, std::span<const Command* const> commands) {
  std::vector<const Command*> members;
  for (const Command* command : commands) {
    if (command->name.starts_with(std::string(group) + " ")) members.push_back(command);
  }
  if (members.empty()) return "";
  return fmt::format("Usage: {} {} COMMAND [WORDS]\n\nCommands:\n{}", program_of(commands), group,
                     columns(overview_rows(members)));
}

std::string cli_reference(std::span<const Command* const> commands) {
  std::string text =
      "# Command line\n\n"
      "This page is what `--help` prints; a test keeps the two equal. Options of `pybox exec` "
      "come\n"
      "before or after the program. After the program, the first word that is not an option and\n"
      "everything behind it go to the program, and so does everything behind `--`. Messages and "
      "the\n"
      "receipt's summary go to stderr, data to stdout.\n\n";
  text += fmt::format("```\n$ pybox --help\n{}```\n", overview_text(commands));
  for (const Command* command : commands) {
    text += fmt::format("\n## pybox {0}\n\n```\n$ pybox {0} --help\n{1}```\n", command->name,
                        help_text(*command));
  }
  return text;
}

}  // namespace pybox::cli
