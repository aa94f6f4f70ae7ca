#include "store/checked.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>

#include "sys/file.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

/// Longer than any file system's tick.
constexpr Nanos kSettled = std::chrono::seconds(1);

fs::path memory_file(const sys::StateDirs& dirs, std::string_view name) {
  return dirs.cache() / "checked" / name;
}

Nanos since_epoch(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
}

/// Only an image of packages has one.
constexpr const char* kLock = "lock.txt";

}  // namespace

std::string facts_of(const fs::path& folder, std::string_view recipe, Nanos now) {
  std::string facts(PYBOX_VERSION " ");
  facts += recipe;
  for (const char* name : {"manifest.json", "tree.list", "image.erofs", "rootfs", kLock}) {
    struct stat info {};
    if (::lstat((folder / name).c_str(), &info) != 0) {
      if (name == kLock && errno == ENOENT) continue;
      return {};
    }
    if (now - since_epoch(info.st_ctim) < kSettled) return {};
    facts.append(" ").append(name);
    for (const auto fact :
         {static_cast<std::int64_t>(info.st_dev), static_cast<std::int64_t>(info.st_ino),
          static_cast<std::int64_t>(info.st_mode), info.st_size, since_epoch(info.st_mtim).count(),
          since_epoch(info.st_ctim).count()}) {
      facts.append(":").append(std::to_string(fact));
    }
  }
  return facts;
}

std::optional<std::string> remembered_id(const sys::StateDirs& dirs, std::string_view name,
                                         std::string_view facts) {
  if (facts.empty()) return std::nullopt;
  const auto kept = sys::read_file(memory_file(dirs, name), 4_KiB);
  if (!kept) return std::nullopt;
  const std::size_t line = kept->find('\n');
  if (line == std::string::npos || std::string_view(*kept).substr(line + 1) != facts) {
    return std::nullopt;
  }
  return kept->substr(0, line);
}

void remember_id(const sys::StateDirs& dirs, std::string_view name, std::string_view facts,
                 std::string_view id) {
  if (facts.empty()) return;
  const fs::path file = memory_file(dirs, name);
  if (!sys::ensure_private_dir(file.parent_path())) return;
  (void)sys::replace_file(file, std::string(id) + "\n" + std::string(facts), 0600,
                          sys::Durability::Unsynced)
      .has_value();
}

}  // namespace pybox::store
