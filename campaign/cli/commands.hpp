#pragma once
/// The commands of `campaign`, each defined in its own file cli/cmd_NAME.cpp, as in runtime/cli.

#include <span>
#include <string>
#include <string_view>

#include "cli/words/command.hpp"

namespace pybox::campaign {

extern const cli::Command kList;
extern const cli::Command kReport;
extern const cli::Command kRun;
extern const cli::Command kDiff;
extern const cli::Command kVerify;
extern const cli::Command kPublish;
extern const cli::Command kRecord;
extern const cli::Command kReplay;
extern const cli::Command kBench;

/// In the order of the overview.
std::span<const cli::Command* const> all_commands();

/// What `campaign --help` prints.
std::string overview();

constexpr std::string_view kProgram = "campaign";
/// Exit codes: 0 green; 1 not green; usage, host and interruption as those of pybox.
constexpr int kNotGreen = 1;

/// The whole of `campaign` after main(). `words`: what stood after its name.
int run_command(std::span<const std::string> words);

}  // namespace pybox::campaign
