#pragma once
/// From what a script says it needs to an image that has it: which Python, which lock, which image.
/// The builder is asked only for what is not there yet: the lock of the same dependencies, Python
/// and platform is kept, and so is the image of a lock.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "builder/builder.hpp"
#include "pypi/lock.hpp"
#include "pypi/pep723.hpp"
#include "store/registry.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::builder {

/// A Python that has a base image here.
struct InstalledPython {
  std::string series;   ///< "3.13"
  std::string release;  ///< "3.13.5"
};
/// Newest first.
std::vector<InstalledPython> installed_pythons(const sys::StateDirs& dirs);

/// The release that a Debian version stands for: "3.15.0~rc2-1" is "3.15.0rc2".
std::string release_of_debian_version(std::string_view version);

/// `asked` when the user named one, else 3.13 when that fits, else the newest that does. Error kind
/// Refused when `asked`, or all that are installed, do not fit `requires_python`; a Python that is
/// not installed is not judged here: finding its image says so.
Result<std::string> choose_python(const std::optional<std::string>& requires_python,
                                  const std::optional<std::string>& asked,
                                  const std::vector<InstalledPython>& installed);

/// "sha256:…" over a block, which a pylock.toml made for it carries.
std::string digest_of_block(std::string_view block);

/// A lock beside a script, checked: made for this block, and for this Python.
Result<void> check_lock_fits(const pypi::Lock& lock, const pypi::InlineScript& script,
                             const InstalledPython& python);

struct ScriptNeeds {
  pypi::InlineScript script;  ///< with what a caller adds to its dependencies
  std::string name;           ///< of the script, for messages
  /// pylock.NAME.toml beside the script, read and parsed; then nothing is resolved.
  std::optional<pypi::Lock> lock;
  std::string lock_name;
  std::optional<std::string> python;  ///< what the user asked for
};

/// What may start the builder; unit tests bring their own.
struct ScriptParts {
  std::function<Result<std::string>(const ResolveRequest&)> resolve;
  std::function<Result<void>(const BuildRequest&)> build;
  std::function<Result<void>(const std::string& name, const std::string& python)> find;
};

struct ScriptImage {
  std::string name = "stdlib";  ///< find_image() has it
  std::string python;
};

/// Errors: Refused as above and for a lock that is none; whatever resolving and building say.
Result<ScriptImage> image_for_script(const sys::StateDirs& dirs, const ScriptNeeds& needs,
                                     const ScriptParts& parts);

}  // namespace pybox::builder
