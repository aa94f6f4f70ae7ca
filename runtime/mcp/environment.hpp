#pragma once
/// check_environment: where scripts would run, in words. Works with the engine down, and says so.

#include <string>

#include "mcp/operator.hpp"

namespace pybox::mcp {

std::string environment_text(const Operator& allowed);

}  // namespace pybox::mcp
