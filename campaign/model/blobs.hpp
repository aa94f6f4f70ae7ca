#pragma once
/// raw/ of an evidence folder: bytes named by their SHA-256, raw/ab/cdef….

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pybox::campaign {

/// 64 lower-case hex digits: a SHA-256, and so a blob's name.
bool is_digest(std::string_view text);

class Blobs {
 public:
  explicit Blobs(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Keeps the bytes, whole or not at all, and gives their name. What is there already is not
  /// written again.
  Result<std::string> keep(std::string_view bytes) const;
  /// Reads them back and checks that they are what their name says. Error kind Evidence.
  Result<std::string> read(std::string_view name) const;

 private:
  std::filesystem::path place(std::string_view name) const;
  std::filesystem::path folder_;  ///< …/raw
};

}  // namespace pybox::campaign
