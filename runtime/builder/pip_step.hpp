#pragma once
/// The one way pip is run: named wheels of pinned digests and nothing else, so that no code of a
/// package runs. Whatever installs in a builder goes through here.

#include <string>

#include "builder/builder.hpp"

namespace pybox::builder {

/// Installs what /tmp/in/`requirements` pins into `target`, both paths of the builder. pip's log
/// comes back in the pack, for pip_failure(). The caller may add words that only look, like
/// --report.
BuilderStep pip_step(const std::string& python, const std::string& requirements,
                     const std::string& target);

/// Why such a step failed. Precondition: it was the last step of `result`.
Error pip_failure(const BuilderResult& result, const std::string& python);

}  // namespace pybox::builder
