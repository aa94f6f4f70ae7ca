#pragma once
/// Which checks a command is about: `--checks`, `--area`, `--engine` and names.

#include <vector>

#include "base/result.hpp"
#include "campaign/model/check.hpp"
#include "campaign/model/sources.hpp"
#include "cli/words/command.hpp"

namespace pybox::campaign {

/// The areas of checks, in the order of reports; an area without checks yet is none that is
/// unknown.
std::span<const std::string_view> known_areas();

/// What `--checks` names, else what is compiled in.
Result<CheckSources> sources_from(const cli::Words& words);

/// Checks of `sources` that `--area`, `--engine` and the positionals leave. A positional is an id
/// ("net.loopback") or one with its engine ("net.loopback@vm"). Error kind Usage: an unknown area,
/// engine or check, with the nearest known one.
Result<std::vector<Check>> choose_checks(const CheckSources& sources, const cli::Words& words);

}  // namespace pybox::campaign
