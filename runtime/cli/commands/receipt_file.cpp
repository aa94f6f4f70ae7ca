#include "cli/commands/receipt_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/text.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::cli {
namespace {

Error cannot(const std::string& path, std::string why) {
  return {ErrorKind::HostCannot,
          "the receipt cannot be written to `" + visible(path) + "`: " + std::move(why)};
}

Error from_errno(const std::string& path, int code) {
  return Error::from_errno(code, "the receipt cannot be written to `" + visible(path) + "`")
      .as(ErrorKind::HostCannot);
}

std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

enum class Target { Replace, WriteThrough };

Result<Target> target_of(const std::string& path) {
  struct stat info {};
  if (path.empty()) return cannot(path, "the name is empty");
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return Target::Replace;
    return from_errno(path, errno);
  }
  if (S_ISDIR(info.st_mode)) return cannot(path, "it is a folder");
  return S_ISREG(info.st_mode) ? Target::Replace : Target::WriteThrough;
}

}  // namespace

Result<void> check_receipt_file(const std::string& path) {
  const Target target = PYBOX_TRY(target_of(path));
  if (target == Target::WriteThrough) {
    if (::access(path.c_str(), W_OK) != 0 && errno != ENOENT) return from_errno(path, errno);
    return {};
  }
  if (path.ends_with('/')) return cannot(path, "it names a folder");
  if (::access(folder_of(path).c_str(), W_OK | X_OK) != 0) return from_errno(path, errno);
  return {};
}

Result<void> write_receipt_file(const std::string& path, std::string_view text) {
  const Target target = PYBOX_TRY(target_of(path));
  Result<void> written;
  if (target == Target::Replace) {
    written = sys::replace_file(folder_of(path) / std::filesystem::path(path).filename(), text,
                                0600, sys::Durability::Unsynced);
  } else {
    const sys::Fd fd(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600));
    if (!fd.is_open()) return from_errno(path, errno);
    written = sys::write_all(fd.get(), text);
  }
  if (!written) return from_errno(path, written.error().errno_code());
  return {};
}

}  // namespace pybox::cli
