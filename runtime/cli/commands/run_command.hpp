#pragma once
/// The whole of `pybox` after main(): finds the command, runs it, prints what went wrong.

#include <span>
#include <string>

namespace pybox::cli {

/// `words`: what stood after `pybox`. Gives the exit code.
int run_command(std::span<const std::string> words);

}  // namespace pybox::cli
