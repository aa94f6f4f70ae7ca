#pragma once
/// Kernel modules: which file a name means, what a module depends on, in which order to load them.

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::debian {

/// A module's name as the kernel writes it: no path, no .ko suffix, '-' as '_'.
std::string module_name(std::string_view file);

/// The names after "depends=" in the .modinfo section of an uncompressed module, which is where
/// depmod has them from. Reading the file needs no depmod for another kernel's tree.
std::vector<std::string> dependencies_in(std::string_view module_bytes);

/// What a kernel offers: module files by name, and what is compiled in.
struct KernelModules {
  std::map<std::string, std::filesystem::path> files;
  std::set<std::string> built_in;
};

/// Reads a kernel's module folder (…/modules/RELEASE): its *.ko* files and modules.builtin.
Result<KernelModules> modules_in(const std::filesystem::path& folder);

/// Names in load order, dependencies first, built-in ones left out. `read` gives a module's
/// uncompressed bytes. Error kind HostCannot for a wanted module the kernel does not have.
Result<std::vector<std::string>> load_order(
    const KernelModules& modules, const std::vector<std::string>& wanted,
    const std::function<Result<std::string>(const std::filesystem::path&)>& read);

}  // namespace pybox::debian
