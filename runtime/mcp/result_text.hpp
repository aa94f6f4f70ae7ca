#pragma once
/// A run in words, as execute_python gives it.

#include <string>

#include "receipt/receipt.hpp"

namespace pybox::mcp {

/// Exit code, duration, stdout and stderr; what a terminal would obey is escaped. What PyBox itself
/// has to say comes first, so that no output can pass for it.
std::string result_text(const Receipt& receipt);
/// "error: …" and, when there is one, "hint: …".
std::string error_words(const Error& error);

}  // namespace pybox::mcp
