#pragma once
/// The guest's initramfs: a cpio archive in the kernel's "newc" form (kernel:
/// Documentation/driver-api/early-userspace/buffer-format.rst), not compressed, since unpacking
/// costs more than reading it under emulation. Same input, same bytes.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace pybox::vm {

struct CpioEntry {
  std::string name;   ///< relative, a folder before its files
  unsigned mode = 0;  ///< with the file type: 0100644, 040755
  std::string content;
};
std::string cpio_archive(const std::vector<CpioEntry>& entries);

/// The parts of an ELF program that are loaded: section table and debug information cut off. A
/// debug build of boxd is four times its loadable size, all of which would stay in the guest's
/// memory and in every saved state. Anything that is no 64-bit ELF comes back as it is.
std::string_view loadable_part(std::string_view elf);

struct InitramfsPlan {
  std::filesystem::path boxd;
  std::vector<std::filesystem::path> modules;               ///< in load order
  std::vector<std::pair<std::string, std::string>> images;  ///< disk serial and image id
};
/// Reads the files and makes the archive that boxd/guest_init.hpp describes.
Result<std::string> make_initramfs(const InitramfsPlan& plan);

}  // namespace pybox::vm
