#pragma once
/// A command as data: its words, its help, the function that runs it. The parser and the help page
/// are made from the same table, so neither can say what the other does not do. One file a command,
/// cli/commands/NAME.cpp; all of them are listed in cli/commands/commands.cpp.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/terminal/terminal.hpp"

namespace pybox::cli {

struct Option {
  std::string_view name;   ///< "--timeout", or "-c"
  std::string_view value;  ///< what it takes, as the help shows it ("S"); empty: a flag
  std::string_view help;   ///< one line, no full stop
  bool repeatable = false;
};

struct Positional {
  std::string_view name;  ///< "FILE", as the help shows it
  std::string_view help;
  bool required = true;
  bool repeatable = false;  ///< takes every further word; only the last one may
};

/// What stood on the command line, checked against a Command's tables.
struct Words {
  std::map<std::string, std::string, std::less<>> options;  ///< name to value, empty for a flag
  std::map<std::string, std::vector<std::string>, std::less<>> repeated;  ///< of repeatable options
  std::vector<std::string> positionals;
  std::vector<std::string> rest;  ///< exec: the words after the program, which are not PyBox's

  bool has(std::string_view option) const { return options.contains(option); }
  /// Of a repeatable option, in the order given; empty when there is none.
  std::vector<std::string> values(std::string_view option) const {
    const auto found = repeated.find(option);
    return found == repeated.end() ? std::vector<std::string>() : found->second;
  }
  /// nullopt when the option was not given.
  std::optional<std::string_view> value(std::string_view option) const {
    const auto found = options.find(option);
    if (found == options.end()) return std::nullopt;
    return found->second;
  }
};

/// What a command finds around it; passed in so that tests can bring their own.
struct Surroundings {
  Terminal terminal;
};

struct Command {
  std::string_view name;      ///< "exec", "vm start"
  std::string_view summary;   ///< first line of its help, in the imperative
  std::string_view synopsis;  ///< what follows `pybox NAME` in the usage line
  std::span<const Positional> positionals;
  std::span<const Option> options;
  std::string_view details;  ///< further paragraphs of the help, may be empty
  /// exec: a word that is no option ends PyBox's own words once the program is known. The program
  /// is the first positional, or the value of this option.
  std::string_view program_option;
  /// Gives the exit code. An Error is printed by the caller, its kind picks the exit code.
  Result<int> (*run)(const Words& words, const Surroundings& around);
  /// The program whose command it is, as messages and help call it.
  std::string_view program = "pybox";
};

/// The program of a table of commands. Precondition: it is not empty.
inline std::string_view program_of(std::span<const Command* const> commands) {
  return commands.front()->program;
}

/// Every command, in the order of the overview.
std::span<const Command* const> all_commands();

}  // namespace pybox::cli
