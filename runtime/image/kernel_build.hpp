#pragma once
/// Makes the folder of kernel.hpp from the kernel's Debian package.

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "image/recipe.hpp"
#include "image/record.hpp"
#include "image/tools.hpp"

namespace pybox::image {

struct KernelSource {
  std::filesystem::path deb;  ///< verified
  Package package;
  std::vector<std::string> suites;
  std::filesystem::path rootfs;   ///< a prepared image tree: its Python takes the modules' xz apart
  const Recipe* image = nullptr;  ///< the recipe of that tree
};

/// Builds `out` (which must not exist) using `work` for what is unpacked on the way.
Result<KernelRecord> build_kernel(const Tools& tools, const KernelRecipe& recipe,
                                  const KernelSource& source, const std::filesystem::path& work,
                                  const std::filesystem::path& out, Progress& progress);

}  // namespace pybox::image
