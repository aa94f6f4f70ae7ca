#pragma once
/// One call from its arguments to its result. Nothing here knows of clients or protocols; a call
/// may be made in any thread.

#include <cstddef>

#include "mcp/arguments.hpp"
#include "mcp/operator.hpp"
#include "mcp/worker.hpp"

namespace pybox::mcp {

/// Runs the program in a box and keeps the receipt. Every end is a result: also a refusal, an
/// engine that does not run, a box that was lost.
CallOutcome run_call(Tool tool, Asked asked, const Operator& allowed, std::size_t budget,
                     int cancel_fd);

/// The result of a call that is not run. Its receipt is kept when PyBox refused what was asked, not
/// when the words were wrong (kind Usage).
CallOutcome refuse_call(Tool tool, const Request& request, const Error& why, std::size_t budget);

}  // namespace pybox::mcp
