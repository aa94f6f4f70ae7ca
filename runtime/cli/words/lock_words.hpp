#pragma once
/// The pure parts of `pybox image lock`: what is to be locked, and what is written of it.

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "builder/builder.hpp"
#include "cli/words/command.hpp"
#include "pypi/lock.hpp"

namespace pybox::cli {

struct LockPlan {
  std::string shown;                            ///< the file's name, for messages
  builder::ResolveRequest request;              ///< its python is still to be chosen
  std::optional<std::string> python;            ///< --python
  std::optional<std::string> requires_python;   ///< of a script
  std::optional<std::string> block;             ///< of a script
  std::optional<std::filesystem::path> output;  ///< nothing: stdout
};

/// Reads the file that the words name. Error kind Usage: it cannot be read; Refused: it is not what
/// it should be, with its line.
Result<LockPlan> lock_plan(const Words& words);

/// A script's lock says what it was made for; others stay as they are.
std::string with_origin(const LockPlan& plan, std::string text);

Result<pypi::Lock> parse_made_lock(const LockPlan& plan, std::string_view text);

/// "tools.lock: 5 packages for Python 3.13".
std::string lock_summary(const LockPlan& plan, const pypi::Lock& lock);

}  // namespace pybox::cli
