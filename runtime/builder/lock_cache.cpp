#include "builder/lock_cache.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "store/architecture.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

/// Raise when other locks come of the same question.
constexpr std::string_view kQuestion = "1";

fs::path folder(const sys::StateDirs& dirs) { return dirs.cache() / "locks"; }

void drop_oldest(const fs::path& folder) {
  std::error_code code;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::path& entry : sys::entries_of(folder, code)) {
    std::error_code ignored;
    files.emplace_back(fs::last_write_time(entry, ignored), entry);
  }
  std::sort(files.rbegin(), files.rend());
  for (std::size_t i = kCachedLocks; i < files.size(); ++i) fs::remove(files[i].second, code);
}

}  // namespace

std::string cached_lock_name(std::string_view requirements, std::string_view python) {
  std::string question(kQuestion);
  for (const std::string_view part : {python, store::kDebianArchitecture, requirements}) {
    question += '\n';
    question += part;
  }
  return sha256_hex(question).substr(0, 32) + ".lock";
}

std::optional<pypi::Lock> cached_lock(const sys::StateDirs& dirs, const std::string& name) {
  const auto text = sys::read_file(folder(dirs) / name, Bytes{pypi::kMaxLockBytes});
  if (!text) return std::nullopt;
  auto lock = pypi::parse_requirements_lock(*text);
  if (!lock) return std::nullopt;
  return *std::move(lock);
}

Result<void> keep_lock(const sys::StateDirs& dirs, const std::string& name,
                       const pypi::Lock& lock) {
  PYBOX_TRY(sys::ensure_private_dir(folder(dirs)));
  PYBOX_TRY(sys::replace_file(folder(dirs) / name, lock.text, 0600, sys::Durability::Unsynced));
  drop_oldest(folder(dirs));
  return {};
}

Result<void> forget_locks(const sys::StateDirs& dirs) { return sys::remove_tree(folder(dirs)); }

}  // namespace pybox::builder
