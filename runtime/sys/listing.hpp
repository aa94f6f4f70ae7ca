#pragma once
/// The entries of a folder, as values: a range over std::filesystem's iterator throws where a
/// folder cannot be read further, and nothing in PyBox catches.

#include <filesystem>
#include <system_error>
#include <vector>

namespace pybox::sys {

/// What is in `folder`, in no order, as far as it could be read; `trouble` says whether that is
/// all.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              std::error_code& trouble);

}  // namespace pybox::sys
