#pragma once
/// Brings the parts of an image that every run needs into the page cache, on boxd's own account.

#include <filesystem>

#include "base/units.hpp"

namespace pybox::guest {

/// Reads interpreter, shared libraries and compiled modules below `root`, at most `limit`. Without
/// it the first box pays for them: in time, in its memory peak, and with a cgroup that lingers as
/// long as the pages do. A file that cannot be read is left to whoever needs it. Returns how much
/// was read.
Bytes prefault(const std::filesystem::path& root, Bytes limit);

}  // namespace pybox::guest
