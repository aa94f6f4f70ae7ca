#pragma once
/// The help pages, made from the commands' tables. docs/cli.md is made of the same texts.

#include <span>
#include <string>
#include <string_view>

#include "cli/words/command.hpp"

namespace pybox::cli {

/// What `pybox NAME --help` prints.
std::string help_text(const Command& command);

/// What `pybox --help` prints. `purpose`: what the program is for, its first line.
constexpr std::string_view kPurpose = "Run untrusted Python programs, each in a fresh sealed box";
std::string overview_text(std::span<const Command* const> commands,
                          std::string_view purpose = kPurpose);

/// What `pybox vm --help` prints: the commands of one group; empty when there is no such group.
std::string group_text(std::string_view group, std::span<const Command* const> commands);

/// docs/cli.md, whole.
std::string cli_reference(std::span<const Command* const> commands);

}  // namespace pybox::cli
