#pragma once
/// `--receipt FILE`: checked before the run, written after it.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pybox::cli {

/// Error of kind HostCannot when the file could not be written: its folder is missing or may not be
/// written, or it is a folder itself. Changes nothing.
Result<void> check_receipt_file(const std::string& path);

/// Replaces a regular or absent file in one step; anything else (a link, pipe or device) is written
/// through, because replacing it would destroy it.
Result<void> write_receipt_file(const std::string& path, std::string_view text);

}  // namespace pybox::cli
