#pragma once
/// Who runs the VM of a PYBOX_HOME. The supervisor holds a POSIX record lock (man 2 fcntl) on
/// vm/running.lock for its whole life: the kernel drops it with the process and names the holder's
/// pid, so that neither a stale file nor a reused pid can mislead anybody.

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::vm {

std::filesystem::path socket_path(const sys::StateDirs& dirs);
/// The supervisor's pid as text, for people; nothing in PyBox trusts it.
std::filesystem::path pid_path(const sys::StateDirs& dirs);
std::filesystem::path console_path(const sys::StateDirs& dirs);
std::filesystem::path supervisor_log_path(const sys::StateDirs& dirs);

/// Takes the life lock. nullopt: another process holds it. The descriptor is the lock; no other
/// descriptor of that file may be closed while it is held, so nobody else in this process opens it.
Result<std::optional<sys::Fd>> take_life_lock(const sys::StateDirs& dirs);

/// The process that holds the life lock, or nullopt.
Result<std::optional<pid_t>> life_lock_owner(const sys::StateDirs& dirs);

/// Waits until nobody holds it. False: somebody still does.
Result<bool> wait_for_release(const sys::StateDirs& dirs, Nanos patience);

/// Kills the holder, if there is one: its pid is confirmed again after it is held by a pidfd.
Result<void> kill_life_lock_owner(const sys::StateDirs& dirs);

/// One start at a time: blocks until it is this one's turn (flock, dropped on close), and says
/// before that it must wait.
Result<sys::Fd> take_start_lock(const sys::StateDirs& dirs, const std::function<void()>& waits);

}  // namespace pybox::vm
