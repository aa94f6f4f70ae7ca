#pragma once
/// Names of package images, their removal, and the cache of those that were made for scripts.

#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "pypi/lock.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::store {

/// Own images: 2 to 31 of [a-z0-9-], no '-' at either end, not `stdlib`, not `data`. Error kind
/// Refused.
Result<void> own_image_name(std::string_view name);

/// The name under which the image of a lock is cached (PEP 723): "deps." and 24 digits of the
/// lock's digest. Users cannot pick such a name; `pybox image prune` removes the least used.
std::string cache_image_name(const pypi::Lock& lock);

/// The folder of an image below images/: its name, with "-3.14" after it for another Python than
/// 3.13.
std::string folder_of_image(std::string_view name, std::string_view python);

/// Removes one image, by the name `pybox image list` shows. Its files go when the last run that
/// uses it has ended. Takes the home's set-up lock. Error kind Refused: no such image, or `stdlib`,
/// without which nothing works.
Result<void> remove_image(const sys::StateDirs& dirs, std::string_view listed, Progress& progress);

/// Remembers that a cached image is used now. Best effort.
void mark_used(const sys::StateDirs& dirs, std::string_view folder);

/// Removes cached images, the longest unused first, until what is left takes at most `limit`.
/// Those in use stay. Returns the folders that were removed.
struct Pruned {
  std::vector<std::string> removed;
  Bytes freed;
  Bytes kept;
};
Result<Pruned> prune_images(const sys::StateDirs& dirs, Bytes limit, Progress& progress);
/// The same for who holds the set-up lock.
Result<Pruned> prune_locked(const sys::StateDirs& dirs, Bytes limit);

/// What the cached images may take before a build prunes them.
constexpr Bytes kCacheLimit{std::uint64_t{2} << 30U};

}  // namespace pybox::store
