#pragma once
/// What a script says it needs: PEP 723 metadata and a call's `dependencies`, merged and judged.

#include <string>

#include "base/result.hpp"
#include "builder/script_image.hpp"
#include "mcp/arguments.hpp"
#include "mcp/operator.hpp"

namespace pybox::mcp {

/// What the metadata name and then what the call adds. Errors have kind Refused: metadata that do
/// not read, something that is no dependency, a `requires-python` that leaves out the server's, any
/// dependency at all where the operator allows none.
Result<builder::ScriptNeeds> script_needs(const Asked& asked, const Operator& allowed);

/// Puts the image of what is needed into the request. Asks the builder, when the operator lets it.
Result<void> take_packages(Request& request, const builder::ScriptNeeds& needs,
                           const Operator& allowed);

/// validate_script: what holds and what does not, in words.
struct Validation {
  bool valid = false;
  std::string text;
};
Validation validate_script(const Asked& asked, const Operator& allowed);

}  // namespace pybox::mcp
