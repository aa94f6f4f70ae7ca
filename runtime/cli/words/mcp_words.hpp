#pragma once
/// The words of `pybox mcp`, and what they allow.

#include "cli/words/command.hpp"
#include "mcp/operator.hpp"
#include "request/settings.hpp"

namespace pybox::cli {

/// The engine is the flag's, else PYBOX_ENGINE's, else the settings', else vm. Errors have kind
/// Usage.
Result<mcp::Operator> mcp_operator(const Words& words, const Settings& settings);

/// The command's tables around the function that carries it out.
Command mcp_command(Result<int> (*run)(const Words&, const Surroundings&));

}  // namespace pybox::cli
