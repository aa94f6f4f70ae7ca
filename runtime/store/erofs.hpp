#pragma once
/// The tree as one read-only file for the VM. Uncompressed: under emulation every page that must be
/// decompressed costs more than the bytes it saves (docs/images.md has the measurement).

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "sys/tools.hpp"

namespace pybox::store {

struct ErofsFile {
  std::string sha256;
  std::uint64_t bytes = 0;
  std::string maker;  ///< "mkfs.erofs 1.5": another release may write other bytes
};

/// Writes `file` (mode 0444) from the settled tree `root`: all owned by root, fixed time and UUID.
Result<ErofsFile> make_erofs(const sys::Tools& tools, const std::filesystem::path& root,
                             const std::filesystem::path& file);

}  // namespace pybox::store
