#pragma once
/// A tree of files as an image: what it holds, in one canonical text, and the image ID, which is
/// the digest of that text. Owners are not listed: everything belongs to root in the box. Times are
/// fixed.
///
/// tree.list, the canonical text, one line an entry, sorted by path bytewise, "." first:
///   d 0555 - PATH            a folder
///   f 0444 SHA256 PATH       a file (0555 when executable); the digest is of its content
///   l 0777 TARGET PATH       a symbolic link
/// Bytes outside 0x21…0x7e and the backslash are written \xNN, so that a space separates only
/// fields.

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"

namespace pybox::store {

struct TreeEntry {
  char type = 'f';      ///< 'd', 'f' or 'l'
  unsigned mode = 0;    ///< permission bits
  std::string path;     ///< below the root, raw bytes; "." for the root itself
  std::string content;  ///< SHA-256 of a file, target of a link, empty for a folder
};

/// Makes a tree of our own what an image must be: folders 0555, files 0444 or 0555, no setuid bit,
/// all times kFileTime. Anything but folders, files and links is an Error naming it.
Result<void> settle_tree(const std::filesystem::path& root);

/// Reads a tree as it is now, hashing every file. Follows no link.
Result<std::vector<TreeEntry>> list_tree(const std::filesystem::path& root, Progress& progress);

/// Sorts and writes the canonical text.
std::string canonical_text(std::vector<TreeEntry> entries);
/// "sha256:" and the digest of the canonical text.
std::string tree_id(std::string_view canonical_text);

/// Compares a tree with its canonical text. Error kind Evidence naming the first difference.
Result<void> verify_tree(const std::filesystem::path& root, std::string_view canonical_text,
                         Progress& progress);

}  // namespace pybox::store
