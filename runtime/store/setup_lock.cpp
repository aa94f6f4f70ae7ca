#include "store/setup_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkPrefix = "work-";
constexpr std::string_view kOldPrefix = ".old-";

std::vector<fs::path> entries_with(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::path& entry : sys::entries_of(folder, ignored)) {
    if (entry.filename().string().starts_with(prefix)) found.push_back(entry);
  }
  return found;
}

/// Nobody holds the image in `folder` (hold_image), or it has no record to hold it by.
bool is_free(const fs::path& folder) {
  const sys::Fd record(::open((folder / "manifest.json").c_str(), O_RDONLY | O_CLOEXEC));
  return !record.is_open() || ::flock(record.get(), LOCK_EX | LOCK_NB) == 0;
}

Result<void> rename_aside(const fs::path& folder, const fs::path& parent) {
  const fs::path aside = parent / (std::string(kOldPrefix) + random_hex(6));
  if (::rename(folder.c_str(), aside.c_str()) == 0) return {};
  return Error::from_errno(errno, "setting " + folder.string() + " aside");
}

Error unwritable(Error error, const sys::StateDirs& dirs) {
  return std::move(error)
      .context("PyBox cannot keep its state in " + dirs.home.string())
      .hint("set PYBOX_HOME to a folder you may write to")
      .as(ErrorKind::HostCannot);
}

}  // namespace

Result<sys::Fd> lock_setup(const sys::StateDirs& dirs, Progress& progress) {
  for (const fs::path& folder : {dirs.home, dirs.images(), dirs.vm(), dirs.cache()}) {
    if (Result<void> made = sys::ensure_private_dir(folder); !made)
      return unwritable(std::move(made).error(), dirs);
  }
  Result<sys::Fd> opened =
      sys::open_path(dirs.cache() / "setup.lock", O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!opened) return unwritable(std::move(opened).error(), dirs);
  sys::Fd lock = std::move(opened).value();
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK)
    progress.note("another `pybox setup` is running in this home; waiting for it");
  while (::flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR)
      return Error::from_errno(errno, "locking " + (dirs.cache() / "setup.lock").string());
  }
  return lock;
}

Result<void> sweep_setup(const sys::StateDirs& dirs) {
  for (const fs::path& work : entries_with(dirs.cache(), kWorkPrefix))
    PYBOX_TRY(sys::remove_tree(work));
  for (const fs::path& old : entries_with(dirs.images(), kOldPrefix)) {
    if (is_free(old)) PYBOX_TRY(sys::remove_tree(old));
  }
  return {};
}

Result<fs::path> make_work_folder(const sys::StateDirs& dirs) {
  fs::path work = dirs.cache() / (std::string(kWorkPrefix) + random_hex(6));
  PYBOX_TRY(sys::ensure_private_dir(work));
  return work;
}

Result<void> put_in_place(const fs::path& made, const fs::path& target) {
  // Names must not reach the disk before the bytes they name.
  const sys::Fd folder = PYBOX_TRY(sys::open_path(made, O_RDONLY | O_DIRECTORY));
  if (::syncfs(folder.get()) != 0)
    return Error::from_errno(errno, "writing " + made.string() + " to the disk");
  std::error_code code;
  if (!fs::exists(fs::symlink_status(target, code))) {
    if (::rename(made.c_str(), target.c_str()) == 0) return {};
    return Error::from_errno(errno, "moving " + made.string() + " to " + target.string());
  }
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
    return Error::from_errno(errno, "exchanging " + made.string() + " and " + target.string());
  }
  if (is_free(made)) return sys::remove_tree(made);
  return rename_aside(made, target.parent_path());
}

Result<void> set_aside(const fs::path& folder) {
  return rename_aside(folder, folder.parent_path());
}

Error explain_full_disk(Error error) {
  if (error.errno_code() != ENOSPC && error.errno_code() != EDQUOT) return error;
  return std::move(error)
      .hint(
          "free some space, or set PYBOX_HOME to a folder on a larger disk; then run the "
          "same command again")
      .as(ErrorKind::HostCannot);
}

Result<void> require_space(const fs::path& folder, Bytes wanted) {
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0)
    return Error::from_errno(errno, "asking for the free space of " + folder.string());
  const Bytes free{static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize};
  if (free >= wanted) return {};
  return Error(ErrorKind::HostCannot, "not enough space: set-up needs " + human_size(wanted) +
                                          " in " + folder.string() + ", and " + human_size(free) +
                                          " are free")
      .hint("free some space, or set PYBOX_HOME to a folder on a larger disk");
}

}  // namespace pybox::store
