#pragma once
/// manifest.sha256: every file of an evidence folder with its digest, as `sha256sum --check` reads
/// it.

#include <filesystem>
#include <map>
#include <string>

#include "base/result.hpp"
#include "reports/attest/names.hpp"

namespace pybox::reports {

/// The folder's files by their path inside it, with their SHA-256; those that sign the manifest are
/// left out. Errors of kind Evidence: a name that does not belong into such a folder, a link, a
/// device, a blob that does not have the digest it is named by.
Result<std::map<std::string, std::string>> digests_of(const std::filesystem::path& dir,
                                                      FolderOf whose = FolderOf::Campaign);

/// Sorted by name, one "DIGEST  NAME" a line.
std::string manifest_text(const std::map<std::string, std::string>& digests);

}  // namespace pybox::reports
