#pragma once
/// What a script says it needs: PEP 723 metadata and a call's `dependencies`, merged and judged.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "image/dependency.hpp"
#include "mcp/arguments.hpp"
#include "mcp/operator.hpp"

namespace pybox::mcp {

/// The dependencies of the metadata and then the call's own. Errors have kind Refused: metadata
/// that do not read, something that is no dependency, a `requires-python` that leaves out the
/// server's.
Result<std::vector<image::Dependency>> script_dependencies(const Asked& asked,
                                                           const Operator& allowed);

/// validate_script: what holds and what does not, in words.
struct Validation {
  bool valid = false;
  std::string text;
};
Validation validate_script(const Asked& asked, const Operator& allowed);

}  // namespace pybox::mcp
