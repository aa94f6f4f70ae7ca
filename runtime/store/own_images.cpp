#include "store/own_images.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "store/package_recipe.hpp"
#include "store/registry.hpp"
#include "store/setup_lock.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCachePrefix = "deps.";
constexpr std::size_t kCacheDigits = 24;
constexpr std::size_t kShortest = 2;
constexpr std::size_t kLongest = 31;
/// Its time of modification says when the image was used last.
constexpr const char* kUsed = "used";

bool is_own_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/// The bytes of an image folder; files it shares with the base image count as the base's.
std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code code;
  for (auto entry = fs::recursive_directory_iterator(folder, code);
       !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    struct stat info {};
    if (::lstat(entry->path().c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1)
      bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  return bytes;
}

struct Cached {
  fs::path folder;
  std::uint64_t bytes = 0;
  timespec used{};
};

bool is_held(const fs::path& folder) {
  const sys::Fd record(::open((folder / "manifest.json").c_str(), O_RDONLY | O_CLOEXEC));
  return record.is_open() && ::flock(record.get(), LOCK_EX | LOCK_NB) != 0;
}

std::vector<Cached> cached_images(const sys::StateDirs& dirs) {
  std::vector<Cached> cached;
  std::error_code ignored;
  for (const fs::path& entry : sys::entries_of(dirs.images(), ignored)) {
    if (!entry.filename().string().starts_with(kCachePrefix)) continue;
    Cached one{entry, bytes_in(entry), {}};
    struct stat info {};
    const bool marked = ::lstat((one.folder / kUsed).c_str(), &info) == 0;
    if (marked || ::lstat((one.folder / "manifest.json").c_str(), &info) == 0)
      one.used = info.st_mtim;
    cached.push_back(std::move(one));
  }
  std::sort(cached.begin(), cached.end(), [](const Cached& a, const Cached& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.folder) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.folder);
  });
  return cached;
}

}  // namespace

Result<void> own_image_name(std::string_view name) {
  const bool good = name.size() >= kShortest && name.size() <= kLongest && name.front() != '-' &&
                    name.back() != '-' && std::all_of(name.begin(), name.end(), is_own_character);
  if (!good) {
    return Error(ErrorKind::Refused, "`" + visible(name.substr(0, 100)) + "` is not an image name")
        .hint("take 2 to 31 lower-case letters, digits or `-`, with no `-` at either end");
  }
  if (name != "stdlib" && name != kDataImage) return {};
  return Error(ErrorKind::Refused, "`" + std::string(name) + "` is PyBox's own image")
      .hint("take another name; `pybox setup --with data` builds `data`");
}

std::string cache_image_name(const pypi::Lock& lock) {
  return std::string(kCachePrefix) +
         lock.digest.substr(lock.digest.find(':') + 1).substr(0, kCacheDigits);
}

std::string folder_of_image(std::string_view name, std::string_view python) {
  return std::string(name) + (python == "3.13" ? "" : "-" + std::string(python));
}

Result<void> remove_image(const sys::StateDirs& dirs, std::string_view listed, Progress& progress) {
  const std::vector<Listed> images = list_images(dirs);
  const auto found = std::find_if(images.begin(), images.end(),
                                  [&](const Listed& one) { return one.name == listed; });
  if (found == images.end()) {
    return Error(ErrorKind::Refused, "there is no image `" + visible(listed.substr(0, 100)) + "`")
        .hint("`pybox image list` shows what is there");
  }
  if (listed == "stdlib") {
    return Error(ErrorKind::Refused, "`stdlib` cannot be removed: the VM and every image need it")
        .hint("`pybox setup` rebuilds a damaged one");
  }
  const sys::Fd lock = PYBOX_TRY(lock_setup(dirs, progress));
  PYBOX_TRY(set_aside(dirs.images() / listed));
  return sweep_setup(dirs);
}

void mark_used(const sys::StateDirs& dirs, std::string_view folder) {
  if (!folder.starts_with(kCachePrefix)) return;
  const fs::path mark = dirs.images() / folder / kUsed;
  const sys::Fd fd(::open(mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (fd.is_open()) ::futimens(fd.get(), nullptr);
}

Result<Pruned> prune_locked(const sys::StateDirs& dirs, Bytes limit) {
  const std::vector<Cached> cached = cached_images(dirs);
  Pruned pruned;
  for (const Cached& one : cached) pruned.kept.count += one.bytes;
  for (const Cached& one : cached) {
    if (pruned.kept <= limit) break;
    if (is_held(one.folder)) continue;
    PYBOX_TRY(set_aside(one.folder));
    pruned.removed.push_back(one.folder.filename().string());
    pruned.kept.count -= one.bytes;
    pruned.freed.count += one.bytes;
  }
  PYBOX_TRY(sweep_setup(dirs));
  return pruned;
}

Result<Pruned> prune_images(const sys::StateDirs& dirs, Bytes limit, Progress& progress) {
  const sys::Fd lock = PYBOX_TRY(lock_setup(dirs, progress));
  return prune_locked(dirs, limit);
}

}  // namespace pybox::store
