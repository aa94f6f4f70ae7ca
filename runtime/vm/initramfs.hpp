#pragma once
/// The guest's initramfs: boxd as /init, the kernel modules, and what to mount (boxd/guest_init.hpp
/// says what it expects). Same input, same bytes: no clock, no inode numbers of the host.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "vm/config.hpp"

namespace pybox::vm {

struct ArchiveEntry {
  std::string name;        ///< relative, without a leading '/'
  std::uint32_t mode = 0;  ///< with the file type bits (man 7 inode)
  std::string content;
};

/// A cpio archive in the "newc" format (kernel: Documentation/driver-api/early-userspace/
/// buffer-format.rst), with its trailer. Precondition: contents below 4 GiB.
std::string write_archive(const std::vector<ArchiveEntry>& entries);

/// The parts of an ELF program that are loaded: section table and debug information cut off. A
/// debug build of boxd is four times its loadable size, all of which would stay in the guest's
/// memory and in every saved state. Anything that is no 64-bit ELF comes back as it is.
std::string_view loadable_part(std::string_view elf);

/// Adds kernel modules as the folder `modules`, and `modules.list`, their names in the order they
/// are loaded.
Result<void> add_modules(std::vector<ArchiveEntry>& entries,
                         const std::vector<std::filesystem::path>& modules);

/// The whole archive for a machine.
Result<std::string> compose_initramfs(const Config& config);

/// Puts the archive into $PYBOX_HOME/vm under a name that holds its digest and removes those of
/// earlier ones; an existing one is left as it is.
struct Initramfs {
  std::filesystem::path file;
  std::string digest;  ///< hex
};
Result<Initramfs> place_initramfs(const Config& config);

}  // namespace pybox::vm
