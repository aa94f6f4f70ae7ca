#pragma once
/// The words of `pybox exec`: its tables, and what they mean.

#include "cli/command.hpp"
#include "cli/exec.hpp"

namespace pybox::cli {

/// The command, with `run` to carry it out.
Command exec_command(Result<int> (*run)(const Words&, const Surroundings&));

/// Errors of kind Usage: a value that is no number.
Result<ExecOptions> exec_options(const Words& words, const Terminal& terminal);

/// The number of seconds an option was given; 1e308 when it is more than a double holds. Error of
/// kind Usage: no number.
Result<double> seconds_word(std::string_view option, std::string_view text);

}  // namespace pybox::cli
