#pragma once
/// A file that must not be there yet.

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace pybox::sys {

/// Whole or absent, as replace_file (sys/file.hpp), synced, but never over something: false when
/// `path` was there already.
Result<bool> create_file(const std::filesystem::path& path, std::string_view bytes,
                         unsigned mode = 0600);

}  // namespace pybox::sys
