#pragma once
/// The entries of one open folder, sorted so that a walk meets files in byte order of their paths.

#include <string>
#include <vector>

#include "base/result.hpp"

namespace pybox::files {

struct Entry {
  std::string name;
  /// As far as the listing itself says; some file systems do not.
  enum class Kind { Unknown, Folder, Other };
  Kind kind = Kind::Unknown;
};

/// `folder` is open for reading and stays so. Without "." and "..". A folder sorts as if its name
/// ended in a slash, which is how its files' paths compare.
Result<std::vector<Entry>> list_folder(int folder);

}  // namespace pybox::files
