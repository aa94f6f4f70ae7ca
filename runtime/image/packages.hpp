#pragma once
/// Debian packages by name, version and the digest that the signed archive gives for them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"

namespace pybox::image {

struct Package {
  std::string name;
  std::string version;
  std::string architecture;
  std::string file;  ///< name in apt's archive folder; a ':' of the version is written %3a there
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 hex digits, from the signed package lists
  friend bool operator==(const Package&, const Package&) = default;
};

/// Reads what `apt-get --print-uris` prints (man 8 apt-get): 'URI' FILE SIZE SHA256:HEX. Sorted by
/// file. Error kind Evidence when a line gives no SHA-256 or a file name that is none.
Result<std::vector<Package>> packages_in_uris(std::string_view text);

/// Removes from `archives` each file of `packages` that is not exactly the signed one: apt itself
/// only compares sizes there. Returns how many bytes are still to be fetched.
Result<std::uint64_t> drop_damaged(const std::filesystem::path& archives,
                                   const std::vector<Package>& packages, Progress& progress);

/// Every package must be there with its signed digest; Error kind Evidence otherwise.
Result<void> verify_packages(const std::filesystem::path& archives,
                             const std::vector<Package>& packages, Progress& progress);

/// "tzdata 2025b-4 → 2026a-1, libc6 …" for a message: what was added, removed or changed. Empty
/// when the sets are equal. At most `most` names, then "and N more".
std::string what_changed(const std::vector<Package>& before, const std::vector<Package>& after,
                         std::size_t most = 8);

}  // namespace pybox::image
