#pragma once
/// Makes the folder of kernel.hpp from the kernel's Debian package.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/recipe.hpp"
#include "store/record.hpp"
#include "sys/tools.hpp"

namespace pybox::debian {

struct KernelSource {
  std::filesystem::path deb;  ///< verified
  store::Package package;
  std::vector<std::string> suites;
  std::filesystem::path rootfs;  ///< a prepared image tree: its Python takes the modules' xz apart
  const store::Recipe* image = nullptr;  ///< the recipe of that tree
};

/// runtime/python/kernel_modules.py.
std::string_view kernel_modules_program();

/// Builds `out` (which must not exist) using `work` for what is unpacked on the way.
Result<store::KernelRecord> build_kernel(const sys::Tools& tools, const store::KernelRecipe& recipe,
                                         const KernelSource& source,
                                         const std::filesystem::path& work,
                                         const std::filesystem::path& out);

}  // namespace pybox::debian
