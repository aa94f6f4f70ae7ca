#pragma once
/// Where this pybox finds the boxd that belongs to it.

#include <filesystem>

#include "base/result.hpp"

namespace pybox::engine {

/// Beside pybox (build tree) or in libexec (installed). Error kind HostCannot.
Result<std::filesystem::path> find_boxd();

}  // namespace pybox::engine
