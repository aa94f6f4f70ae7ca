#include "engine/boxd_path.hpp"

#include <unistd.h>

namespace pybox::engine {

Result<std::filesystem::path> find_boxd() {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  const std::filesystem::path folder = self.parent_path();
  for (const auto& candidate :
       {folder / "boxd", folder.parent_path() / "libexec" / "pybox" / "boxd"}) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return Error(ErrorKind::HostCannot, "`boxd` is not beside " + self.string())
      .hint("build or install PyBox again: pybox and boxd belong together");
}

}  // namespace pybox::engine
