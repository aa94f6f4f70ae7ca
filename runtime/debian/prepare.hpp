#pragma once
/// Turns unpacked packages into the tree of an image: takes out what a box never needs, makes what
/// maintainer scripts would have made, compiles the standard library with the tree's own Python.

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "debian/packages.hpp"
#include "store/recipe.hpp"
#include "sys/tools.hpp"

namespace pybox::debian {

/// A path of a recipe below `root`, refused (Evidence) when a component before the last is a link:
/// what a package ships must not lead us out of the tree.
Result<std::filesystem::path> path_inside(const std::filesystem::path& root,
                                          std::string_view relative);

/// Removes what the recipe drops.
Result<void> prune(const std::filesystem::path& root, const store::Recipe& recipe);

/// Writes the recipe's folders, files and links, and var/lib/dpkg/status, which names the packages.
Result<void> furnish(const std::filesystem::path& root, const store::Recipe& recipe,
                     const std::vector<store::Package>& packages);

/// Starts a program of the tree through the tree's own loader, so that neither its architecture
/// level nor the host's libraries matter, and neither chroot nor privileges are needed.
sys::SpawnPlan program_of_tree(const std::filesystem::path& root, std::string_view program,
                               std::vector<std::string> args);

/// As program_of_tree for the tree's Python, with its standard library and nothing from the host.
sys::SpawnPlan python_of_tree(const std::filesystem::path& root, const store::Recipe& recipe,
                              std::vector<std::string> args);

/// ld.so.cache and byte code: the same bytes from the same packages, whoever runs it.
Result<void> compile(const sys::Tools& tools, const std::filesystem::path& root,
                     const store::Recipe& recipe, Progress& progress);

/// All of the above in order, then settle_tree().
Result<void> prepare_tree(const sys::Tools& tools, const std::filesystem::path& root,
                          const store::Recipe& recipe, const std::vector<store::Package>& packages,
                          Progress& progress);

}  // namespace pybox::debian
