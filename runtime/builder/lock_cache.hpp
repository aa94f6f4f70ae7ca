#pragma once
/// Locks that were resolved for scripts, kept below cache/locks: the same dependencies on the same
/// Python and platform are resolved once. Which versions that gave stays until the locks are
/// forgotten (`pybox image prune`).

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "pypi/lock.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::builder {

/// Only the newest so many are kept.
constexpr std::size_t kCachedLocks = 256;

/// The file's name for what is asked for. `requirements` is to_requirements() of dependencies.
std::string cached_lock_name(std::string_view requirements, std::string_view python);

/// Nothing when there is none, or what is there is no lock.
std::optional<pypi::Lock> cached_lock(const sys::StateDirs& dirs, const std::string& name);
/// What comes next is resolved anew.
Result<void> forget_locks(const sys::StateDirs& dirs);
Result<void> keep_lock(const sys::StateDirs& dirs, const std::string& name, const pypi::Lock& lock);

}  // namespace pybox::builder
