#pragma once
/// What every list of input files must hold to, whoever made it: command line, batch or MCP.

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "request/request.hpp"

namespace pybox::files {

/// A name for a file handed in by itself: one component (files/name.hpp).
Result<void> check_input_name(std::string_view name);

/// Names are plain paths that do not meet, not even on a file system that folds case or normalises;
/// at most ceiling::kInputEntries of them, with ceiling::kInputNames of names, ceiling::kInputBytes
/// in all. Errors have kind Refused, name the input and say what to do. MCP's smaller limits are
/// MCP's own to check.
Result<void> check_inputs(std::span<const InputFile> inputs);

}  // namespace pybox::files
