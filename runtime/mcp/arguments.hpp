#pragma once
/// The arguments of a tools/call, checked against what the operator allows. A bad argument is a
/// result that says so, never a protocol error: the model reads it and tries again.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "mcp/operator.hpp"
#include "request/request.hpp"

namespace pybox::mcp {

/// What a call asks for. With a refusal the request holds what could be read before it.
struct Asked {
  Request request;
  std::optional<Error> refusal;
  std::vector<std::string> dependencies;  ///< execute_python, validate_script
};

/// `arguments` is the text of an object (mcp/message.hpp CallParams).
Asked run_python_asked(std::string_view arguments, const Operator& allowed);
Asked execute_python_asked(std::string_view arguments, const Operator& allowed);
/// The script stands in request.program.
Asked validate_script_asked(std::string_view arguments, const Operator& allowed);
/// check_environment takes none.
Asked nothing_asked(std::string_view arguments, const Operator& allowed);

}  // namespace pybox::mcp
