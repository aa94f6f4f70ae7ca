#pragma once
/// `pybox setup`: guest kernel, base image and keys, from nothing or from what an earlier run left.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/terminal/progress.hpp"

namespace pybox::cli {

/// The words of the command line, as the parser found them.
struct SetupOptions {
  bool yes = false;                   ///< --yes: do not ask on a terminal before downloading
  std::string with;                   ///< --with WORD: "data", or empty
  std::vector<std::string> pythons;   ///< --python 3.13,…, split at commas; empty: 3.13
  std::optional<std::string> engine;  ///< --engine: where `data` is built
  std::string mirror;                 ///< --mirror URL; empty: the host's own apt configuration
  bool update =
      false;  ///< --update: ask the archive for newer packages and rebuild if there are any
  ProgressMode progress = ProgressMode::Auto;
};

/// Does everything, prints to stderr what it did. An Error is for the caller to print and to turn
/// into an exit code by its kind: Usage (bad --mirror, unknown word), Refused (a Python or image
/// that cannot be built), HostCannot (missing tool, no space, no network, unwritable home),
/// Evidence (a package whose digest is not the signed one), Interrupted (the user said no).
Result<void> run_setup(const SetupOptions& options);

}  // namespace pybox::cli
