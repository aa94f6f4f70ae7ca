#pragma once
/// What a bench says of a process that was timed and is no sample.

#include <string>

#include "base/units.hpp"
#include "sys/runner.hpp"

namespace pybox::campaign {

/// Of each stream of a timed process.
constexpr Bytes kTimedOutputKept = 64_KiB;

/// How it ended otherwise than well, with the end of what it wrote to stderr.
std::string trouble_of(const sys::ToolResult& run);

}  // namespace pybox::campaign
