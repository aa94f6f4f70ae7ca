#pragma once
/// One set-up at a time per $PYBOX_HOME, and what a killed one left.

#include <filesystem>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::store {

/// Makes the folders and takes the lock ($PYBOX_HOME/cache/setup.lock, flock); waits for another
/// set-up and says so. The lock is held while the descriptor, or a copy in a tool, is open. Error
/// kind HostCannot when the home cannot be written.
Result<sys::Fd> lock_setup(const sys::StateDirs& dirs, Progress& progress);

/// Removes what a killed set-up left: work folders, and replaced images that nobody holds any more.
/// Precondition: the lock is held.
Result<void> sweep_setup(const sys::StateDirs& dirs);

/// An empty folder for this set-up below cache/; sweep_setup() knows it by its name.
Result<std::filesystem::path> make_work_folder(const sys::StateDirs& dirs);

/// Puts the finished folder `made` in the place of `target` in one step (renameat2
/// RENAME_EXCHANGE), so that `target` is whole at any moment. What was there is removed, or set
/// aside as .old-… beside it when somebody holds it (hold_image). Both must be on one file system.
Result<void> put_in_place(const std::filesystem::path& made, const std::filesystem::path& target);

/// Takes an image's folder out of sight in one step. sweep_setup() removes it when nobody holds it.
Result<void> set_aside(const std::filesystem::path& folder);

/// A full disk shows up in whatever was being written; the advice is always the same.
Error explain_full_disk(Error error);

/// HostCannot when the file system of `folder` has less than `wanted` free for this user.
Result<void> require_space(const std::filesystem::path& folder, Bytes wanted);

}  // namespace pybox::store
