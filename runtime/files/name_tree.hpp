#pragma once
/// The names of one transfer, in which no two may meet on a file system that folds case or
/// normalises.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "request/request.hpp"

namespace pybox::files {

class NameTree {
 public:
  /// The path that was there first, when `path` or a folder on its way meets it under another
  /// spelling, or is the same path once more, or runs through a file. A folder may come twice.
  /// Precondition: fault_of_path(path) is empty.
  std::optional<std::string> add(std::string_view path, InputFile::Kind kind);

 private:
  struct Entry {
    std::string path;
    InputFile::Kind kind;
  };
  std::map<std::string, Entry> by_folded_;
};

}  // namespace pybox::files
