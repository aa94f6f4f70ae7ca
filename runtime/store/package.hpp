#pragma once
/// A Debian package by name, version and the digest that the signed archive gives for it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pybox::store {

struct Package {
  std::string name;
  std::string version;
  std::string architecture;
  std::string file;  ///< name in apt's archive folder; a ':' of the version is written %3a there
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 hex digits, from the signed package lists
  friend bool operator==(const Package&, const Package&) = default;
};

/// "tzdata 2025b-4 → 2026a-1, libc6 …" for a message: what was added, removed or changed. Empty
/// when the sets are equal. At most `most` names, then "and N more".
std::string what_changed(const std::vector<Package>& before, const std::vector<Package>& after,
                         std::size_t most = 8);

}  // namespace pybox::store
