#pragma once
/// The last step of building an image, the same for base images and those of packages.

#include <filesystem>
#include <future>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "store/record.hpp"
#include "sys/tools.hpp"

namespace pybox::store {

/// Hashes the settled tree `made`/rootfs and writes image.erofs, tree.list and manifest.json beside
/// it. `record` says the rest; it comes back with ID, entries and erofs. mkfs.erofs runs in a
/// thread while the tree is hashed, so `aside` must report to nobody (NoProgress).
Result<ImageRecord> finish_image(const sys::Tools& aside, const std::filesystem::path& made,
                                 ImageRecord record, Progress& progress);

/// What a thread that works aside gives, told as a stage while it is waited for.
template <class T>
Result<T> await(std::future<Result<T>>& work, std::string_view stage, Progress& progress) {
  progress.stage(stage);
  while (work.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
    progress.tick();
  return work.get();
}

}  // namespace pybox::store
