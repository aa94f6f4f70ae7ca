#pragma once
/// From nothing, or from whatever an earlier set-up left, to a base image and a guest kernel that
/// are whole and verified.
///
/// Theory of operation: under one lock per home, what is there is verified; what is missing,
/// damaged or of another recipe is built in cache/work-… and exchanged into its place in one step.
/// A set-up that is killed at any moment leaves the old state or the new one; the next set-up
/// removes the work folder. Packages already downloaded stay in the cache.

#include <functional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::debian {

struct SetUpRequest {
  std::vector<std::string> pythons;  ///< versions wanted besides 3.13
  std::string mirror;                ///< empty: the host's own, else mmdebstrap's default
  bool update = false;               ///< ask the archive for newer packages even if all is there
  /// Asked once before anything is downloaded; false ends the set-up. Empty: go on.
  std::function<bool(const std::string& question)> confirm;
};

/// What a caller prints at the end.
struct SetUpImage {
  std::string name;
  std::string id;
  std::string python;
  bool built = false;
};
struct SetUpResult {
  std::vector<SetUpImage> images;  ///< 3.13's, which the VM needs, first
  std::string kernel_release;
  bool built_kernel = false;
};

/// Checks words only, touches nothing: Usage for a mirror that is no URL, Refused for a Python that
/// cannot be built.
Result<void> check_request(const SetUpRequest& request);

/// Does it. Errors: see cli/commands/setup.hpp.
Result<SetUpResult> set_up(const sys::StateDirs& dirs, const SetUpRequest& request,
                           Progress& progress);

}  // namespace pybox::debian
