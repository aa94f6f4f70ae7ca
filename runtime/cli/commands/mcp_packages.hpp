#pragma once
/// Which images `pybox mcp --packages` gives to scripts that name dependencies.

#include "mcp/operator.hpp"

namespace pybox::cli {

/// `locked`: the image of a lock that is kept and was built, else a refusal; no builder is started.
/// `any`: as `pybox exec --with-deps`, with the builder that fits the engine.
void allow_packages(mcp::Operator& allowed);

}  // namespace pybox::cli
