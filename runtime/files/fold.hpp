#pragma once
/// What two names must differ in to stay two names on every file system: the Unicode normalisation
/// form C of the case-folded name (as macOS and Windows compare, and Unicode's canonical caseless
/// matching).

#include <string>
#include <string_view>

namespace pybox::files {

/// Precondition: `name` is UTF-8 without NUL.
std::string folded(std::string_view name);

}  // namespace pybox::files
