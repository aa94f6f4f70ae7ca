#pragma once
/// The words of `pybox exec`: its tables, and what they mean.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/words/command.hpp"
#include "cli/words/program_source.hpp"

namespace pybox::cli {

struct ExecOptions {
  ProgramSource program;
  std::vector<std::string> args;
  std::optional<std::string> engine;
  std::string image = "stdlib";
  std::optional<std::string> python;  ///< absent: 3.13, or what the script's block says
  bool with_deps = false;             ///< install what the script's block names (PEP 723)
  std::optional<double> timeout_s;    ///< absent: 2 s, or the ceiling where that is lower
  StdinSource stdin_source;
  std::vector<std::string> inputs;    ///< paths of this host
  std::optional<std::string> output;  ///< the folder that returned files go to
  std::optional<std::string> receipt_file;
  bool json = false;
  bool quiet = false;
  bool cold = false;
};

/// The command, with `run` to carry it out.
Command exec_command(Result<int> (*run)(const Words&, const Surroundings&));

/// Errors of kind Usage: a value that is no number.
Result<ExecOptions> exec_options(const Words& words, const Terminal& terminal);

/// The number of seconds an option was given; 1e308 when it is more than a double holds. Error of
/// kind Usage: no number.
Result<double> seconds_word(std::string_view option, std::string_view text);

}  // namespace pybox::cli
