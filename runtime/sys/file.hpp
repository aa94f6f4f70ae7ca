#pragma once
/// Whole files and folders: read, replace atomically, create private folders, remove trees.

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"

namespace pybox::sys {

/// Opens with O_CLOEXEC added. The error names the path.
Result<Fd> open_path(const std::filesystem::path& path, int flags, unsigned mode = 0600);

/// Reads a whole regular file or pseudo file (procfs, cgroupfs), at most `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, Bytes limit = 16_MiB);
/// As read_file, relative to an open directory.
Result<std::string> read_file_at(int directory, const char* name, Bytes limit = 1_MiB);

/// One write(2) into an existing pseudo file (cgroupfs, procfs): never creates, never truncates.
Result<void> write_pseudo_file(const std::filesystem::path& path, std::string_view text);

/// Whether a file, under its name, must survive a power cut. Syncing costs milliseconds on a disk.
enum class Durability { Synced, Unsynced };
/// Whole or absent: writes a temporary neighbour, syncs it if asked to, renames it over `path` and
/// then syncs the folder too.
Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes,
                          unsigned mode = 0600, Durability durability = Durability::Synced);

/// Creates the folder and its parents, mode 0700; an existing folder is fine, a symbolic link, a
/// folder owned by another user and one that everybody may write to are refused.
Result<void> ensure_private_dir(const std::filesystem::path& path);

/// Removes a tree, following no link and crossing no mount; an absent tree is fine. Folders are
/// made writable first where the owner may (image trees are read-only).
Result<void> remove_tree(const std::filesystem::path& path);

}  // namespace pybox::sys
