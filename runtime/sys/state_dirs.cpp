#include "sys/state_dirs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <system_error>

namespace pybox::sys {
namespace {

namespace fs = std::filesystem;

/// XDG Base Directory Specification: "All paths set in these environment variables must be
/// absolute. If an implementation encounters a relative path […] it should consider the path
/// invalid and ignore it." An empty value counts as unset there too.
std::optional<fs::path> absolute_from(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value != '/') return std::nullopt;
  return fs::path(value);
}

bool is_own_folder(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

Error nowhere(const char* why) {
  return Error(ErrorKind::HostCannot, why)
      .hint("set HOME to your home folder, or PYBOX_HOME to a folder for PyBox");
}

}  // namespace

Result<StateDirs> state_dirs() {
  const auto home = absolute_from("HOME");
  const char* explicit_home = std::getenv("PYBOX_HOME");
  StateDirs dirs;
  if (explicit_home != nullptr && *explicit_home != '\0') {
    std::error_code failed;
    dirs.home = fs::absolute(explicit_home, failed).lexically_normal();
    if (failed) return nowhere("PYBOX_HOME is relative and the working folder cannot be read");
    dirs.run = dirs.home / "run";
  } else {
    const auto data = absolute_from("XDG_DATA_HOME");
    if (!data && !home) return nowhere("neither HOME nor PYBOX_HOME names a folder");
    dirs.home = data ? *data / "pybox" : *home / ".local/share/pybox";
    const auto runtime = absolute_from("XDG_RUNTIME_DIR");
    // `su` and `sudo` may keep the variable of another user.
    dirs.run = runtime && is_own_folder(*runtime) ? *runtime / "pybox" : dirs.home / "run";
  }
  const auto config = absolute_from("XDG_CONFIG_HOME");
  if (config || home) {
    dirs.config = (config ? *config : *home / ".config") / "pybox/config.json";
  } else {
    dirs.config = dirs.home / "config.json";
  }
  return dirs;
}

}  // namespace pybox::sys
