#pragma once
/// Remembers that an image passed its checks, so that a run need not read its records again: they
/// are half a megabyte, and a run natively is over in twenty milliseconds.
///
/// What was checked holds for as long as the files it was read from are the same: device, inode,
/// size, time of modification and time of change, which no user can set (stat(2), st_ctime). The
/// memory is a file of its own, cache/checked/NAME; removing it costs one slower run.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::store {

/// The facts that a check's answer depends on, as one line of text. `recipe` is the digest of what
/// the image should have been built from. `now` is wall_now(). Empty when a file is missing or
/// changed less than a second ago: a later change could still get the same times.
std::string facts_of(const std::filesystem::path& folder, std::string_view recipe, Nanos now);

/// The image ID that was found under these very facts; nothing when another or none was.
std::optional<std::string> remembered_id(const sys::StateDirs& dirs, std::string_view name,
                                         std::string_view facts);
/// Best effort: without it the next run reads the records again.
void remember_id(const sys::StateDirs& dirs, std::string_view name, std::string_view facts,
                 std::string_view id);

}  // namespace pybox::store
