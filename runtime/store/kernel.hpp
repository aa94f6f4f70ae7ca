#pragma once
/// The guest kernel as `pybox setup` leaves it, and how it is built from Debian's signed package.
///
/// $PYBOX_HOME/vm/kernel/
///   vmlinuz            boots with -kernel
///   modules/NAME.ko    not compressed: finit_module(2) takes them as they are
///   modules.list       file names in modules/, one a line, in load order
///   builder/NAME.ko    what only a builder VM loads
///   manifest.json      release, package, version and digests (store/record.hpp); its id is the
///                      digest over the names and digests of all files, in load order
/// The folder is whole or absent: it is built beside and exchanged by renaming. All files are 0444.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::store {

struct GuestKernel {
  std::string id;       ///< "sha256:…"; changes whenever any byte the guest boots from changes
  std::string release;  ///< uname -r of the guest
  std::string version;  ///< Debian version of the package
  std::filesystem::path vmlinuz;
  std::vector<std::filesystem::path> modules;          ///< absolute paths in load order
  std::vector<std::filesystem::path> builder_modules;  ///< all a builder VM loads, in load order
};

/// Reads manifest.json and modules.list; every file named must exist with its recorded size. Error
/// kind HostCannot with the hint `pybox setup` when there is none or its recipe is not today's.
Result<GuestKernel> find_kernel(const sys::StateDirs& dirs);

/// Where a file of the record stands below the kernel's folder: "vmlinuz", "NAME.ko" in modules/,
/// "builder/NAME.ko"; nullopt for any other name.
constexpr std::string_view kBuilderFolder = "builder/";
std::optional<std::filesystem::path> place_of_kernel_file(std::string_view name);

/// Hashes every file. Error kind Evidence naming the first that differs.
Result<void> verify_kernel(const sys::StateDirs& dirs);

}  // namespace pybox::store
