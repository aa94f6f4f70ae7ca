#pragma once
/// Debian packages by name, version and the digest that the signed archive gives for them.

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "store/package.hpp"

namespace pybox::debian {

/// Reads what `apt-get --print-uris` prints (man 8 apt-get): 'URI' FILE SIZE SHA256:HEX. Sorted by
/// file. Error kind Evidence when a line gives no SHA-256 or a file name that is none.
Result<std::vector<store::Package>> packages_in_uris(std::string_view text);

/// Removes from `archives` each file of `packages` that is not exactly the signed one: apt itself
/// only compares sizes there. Returns how many bytes are still to be fetched.
Result<std::uint64_t> drop_damaged(const std::filesystem::path& archives,
                                   const std::vector<store::Package>& packages, Progress& progress);

/// Every package must be there with its signed digest; Error kind Evidence otherwise.
Result<void> verify_packages(const std::filesystem::path& archives,
                             const std::vector<store::Package>& packages, Progress& progress);

}  // namespace pybox::debian
