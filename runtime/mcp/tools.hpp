#pragma once
/// From a tool's name and arguments to a job that a worker does, or to the result that refuses it.

#include <functional>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "mcp/operator.hpp"
#include "mcp/worker.hpp"

namespace pybox::mcp {

struct PreparedCall {
  std::optional<CallOutcome> refused;  ///< the arguments do not do
  bool runs = false;                   ///< a program, so that it takes one of the operator's places
  Worker::Job job;
  /// The result of this call when something else stands in its way.
  std::function<CallOutcome(const Error&)> refuse;
};

/// Checks the arguments; starts nothing and looks at no engine. `allowed` outlives the call.
/// `id_bytes` is what the request's id adds to the line of its answer.
PreparedCall prepare_call(Tool tool, std::string_view arguments, const Operator& allowed,
                          std::size_t id_bytes);

}  // namespace pybox::mcp
