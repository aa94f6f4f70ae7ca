#pragma once
/// The help pages, made from the commands' tables. docs/cli.md is made of the same texts.

#include <span>
#include <string>

#include "cli/command.hpp"

namespace pybox::cli {

/// What `pybox NAME --help` prints.
std::string help_text(const Command& command);

/// What `pybox --help` prints.
std::string overview_text(std::span<const Command* const> commands);

/// What `pybox vm --help` prints: the commands of one group; empty when there is no such group.
std::string group_text(std::string_view group, std::span<const Command* const> commands);

/// docs/cli.md, whole.
std::string cli_reference(std::span<const Command* const> commands);

}  // namespace pybox::cli
