#include "sys/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/crashpoint.hpp"
#include "base/digest.hpp"
#include "sys/new_file.hpp"

namespace pybox::sys {
namespace {

Result<std::string> read_open(const Fd& fd, const std::string& name, Bytes limit) {
  std::string text;
  std::array<char, 16384> chunk;
  for (;;) {
    const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
    if (n == 0) return text;
    if (n < 0) {
      if (errno == EINTR) continue;
      return Error::from_errno(errno, "reading " + name);
    }
    if (text.size() + static_cast<std::size_t>(n) > limit.count) {
      return Error(ErrorKind::Refused,
                   name + " is larger than " + std::to_string(limit.count) + " bytes");
    }
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

// Recursion depth and descriptors grow with the tree's depth. Only trees of PyBox's own making are
// removed this way; a program's tmpfs is never walked, it is unmounted.
Result<void> remove_entry(int parent, const char* name);

Result<void> empty_folder(Fd folder) {
  ::fchmod(folder.get(), 0700);  // image trees are 0555; failing here shows up as EACCES below
  const int raw = folder.release();
  std::unique_ptr<DIR, CloseDir> dir(::fdopendir(raw));
  if (!dir) {
    const int code = errno;
    ::close(raw);
    return Error::from_errno(code, "reading a folder");
  }
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    PYBOX_TRY(remove_entry(::dirfd(dir.get()), entry->d_name));
  }
  return {};
}

Result<void> remove_entry(int parent, const char* name) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) {
    return Error::from_errno(errno, std::string("removing ") + name);
  }
  struct stat outer {};
  struct stat inner {};
  Fd folder(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) return Error::from_errno(errno, std::string("opening ") + name);
  if (::fstat(parent, &outer) != 0 || ::fstat(folder.get(), &inner) != 0) {
    return Error::from_errno(errno, std::string("inspecting ") + name);
  }
  if (outer.st_dev != inner.st_dev) {
    return Error(ErrorKind::Refused, std::string(name) + " is a mount point; it is left alone");
  }
  PYBOX_TRY(empty_folder(std::move(folder)));
  if (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
    return Error::from_errno(errno, std::string("removing ") + name);
  }
  return {};
}

}  // namespace

Result<Fd> open_path(const std::filesystem::path& path, int flags, unsigned mode) {
  Fd fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!fd.is_open()) return Error::from_errno(errno, "opening " + path.string());
  return fd;
}

Result<std::string> read_file(const std::filesystem::path& path, Bytes limit) {
  const Fd fd = PYBOX_TRY(open_path(path, O_RDONLY | O_NOCTTY));
  return read_open(fd, path.string(), limit);
}

Result<std::string> read_file_at(int directory, const char* name, Bytes limit) {
  const Fd fd(::openat(directory, name, O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (!fd.is_open()) return Error::from_errno(errno, std::string("opening ") + name);
  return read_open(fd, name, limit);
}

Result<void> write_pseudo_file(const std::filesystem::path& path, std::string_view text) {
  const Fd fd = PYBOX_TRY(open_path(path, O_WRONLY));
  const ssize_t n = ::write(fd.get(), text.data(), text.size());
  if (n < 0 || static_cast<std::size_t>(n) != text.size()) {
    return Error::from_errno(n < 0 ? errno : EIO,
                             "writing `" + std::string(text) + "` to " + path.string());
  }
  return {};
}

namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

Result<void> fill(const Fd& fd, std::string_view bytes, Durability durability) {
  PYBOX_CRASHPOINT("file.made");
  PYBOX_TRY(write_all(fd.get(), bytes));
  PYBOX_CRASHPOINT("file.written");
  if (durability == Durability::Synced && ::fdatasync(fd.get()) != 0)
    return Error::from_errno(errno, "syncing");
  PYBOX_CRASHPOINT("file.synced");
  return {};
}

/// The name is in the folder, which goes to the disk by itself (man 2 fsync).
Result<void> sync_name(const std::filesystem::path& path) {
  const Fd folder = PYBOX_TRY(open_path(folder_of(path), O_RDONLY | O_DIRECTORY));
  // EINVAL: a file system whose folders cannot be synced.
  if (::fsync(folder.get()) != 0 && errno != EINVAL)
    return Error::from_errno(errno, "syncing the folder of " + path.string());
  return {};
}

/// link(2) for a file without a name; 0 or errno.
int give_name(const Fd& nameless, const std::filesystem::path& path) {
  const std::string now = "/proc/self/fd/" + std::to_string(nameless.get());
  return ::linkat(AT_FDCWD, now.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                                         : errno;
}

/// Renames over what is there. The name on the way is always the same, so that what a kill between
/// the two calls left goes with the next replacement; two at once take turns.
int rename_over(const Fd& nameless, const std::filesystem::path& path) {
  const std::filesystem::path on_the_way =
      folder_of(path) / ("." + path.filename().string().substr(0, 200) + ".new");
  int code = EEXIST;
  for (int attempt = 0; attempt < 100 && (code == EEXIST || code == ENOENT); ++attempt) {
    code = give_name(nameless, on_the_way);
    if (code == EEXIST) ::unlink(on_the_way.c_str());
    if (code != 0) continue;
    PYBOX_CRASHPOINT("file.named");
    if (::rename(on_the_way.c_str(), path.c_str()) == 0) return 0;
    code = errno;
    if (code != ENOENT) ::unlink(on_the_way.c_str());
  }
  return code;
}

/// Where the file system knows no nameless files, or there is no /proc.
Result<void> replace_by_name(const std::filesystem::path& path, std::string_view bytes,
                             unsigned mode, Durability durability) {
  const std::filesystem::path temporary =
      folder_of(path) / ("." + path.filename().string().substr(0, 200) + "." + random_hex(6));
  Fd fd = PYBOX_TRY(open_path(temporary, O_WRONLY | O_CREAT | O_EXCL, mode));
  Result<void> written = fill(fd, bytes, durability);
  fd.reset();
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0)
    written = Error::from_errno(errno, "renaming");
  if (!written) ::unlink(temporary.c_str());
  return written;
}

/// A file that has no name until it is whole: a kill leaves nothing of it.
Fd open_nameless(const std::filesystem::path& path, unsigned mode) {
  return Fd(::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
}

}  // namespace

Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes, unsigned mode,
                          Durability durability) {
  Result<void> written;
  const Fd nameless = open_nameless(path, mode);
  int code = EOPNOTSUPP;
  if (nameless.is_open()) {
    written = fill(nameless, bytes, durability);
    if (written) code = give_name(nameless, path);
    if (written && code == EEXIST) code = rename_over(nameless, path);
  }
  if (written && code != 0) written = replace_by_name(path, bytes, mode, durability);
  if (!written) return std::move(written).error().context("writing " + path.string());
  PYBOX_CRASHPOINT("file.renamed");
  return durability == Durability::Synced ? sync_name(path) : Result<void>();
}

Result<bool> create_file(const std::filesystem::path& path, std::string_view bytes, unsigned mode) {
  const Fd nameless = open_nameless(path, mode);
  if (nameless.is_open()) {
    PYBOX_TRY_CONTEXT(fill(nameless, bytes, Durability::Synced), "writing " + path.string());
    const int code = give_name(nameless, path);
    if (code == 0) PYBOX_CRASHPOINT("file.created");
    if (code == 0) PYBOX_TRY(sync_name(path));
    if (code == 0 || code == EEXIST) return code == 0;
  }
  const std::filesystem::path temporary = path.string() + "." + random_hex(6);
  PYBOX_TRY_CONTEXT(replace_by_name(temporary, bytes, mode, Durability::Synced),
                    "writing " + path.string());
  // link(2) fails when the name exists: of two at once, one wins for both.
  const int code = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(temporary.c_str());
  if (code != 0 && code != EEXIST) return Error::from_errno(code, "making " + path.string());
  if (code == 0) PYBOX_TRY(sync_name(path));
  return code == 0;
}

Result<void> ensure_private_dir(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  struct stat info {};
  if (!parent.empty() && parent != path && ::stat(parent.c_str(), &info) != 0) {
    PYBOX_TRY(ensure_private_dir(parent));
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return Error::from_errno(errno, "creating the folder " + path.string());
  }
  if (::lstat(path.c_str(), &info) != 0) {
    return Error::from_errno(errno, "inspecting the folder " + path.string());
  }
  if (!S_ISDIR(info.st_mode)) {
    return Error(ErrorKind::HostCannot, path.string() + " is not a folder")
        .hint("move it away, or set PYBOX_HOME to another place");
  }
  if (info.st_uid != ::geteuid()) {
    return Error(ErrorKind::HostCannot, "the folder " + path.string() + " belongs to another user")
        .hint("set PYBOX_HOME to a folder of your own");
  }
  if ((info.st_mode & S_IWOTH) != 0) {
    return Error(ErrorKind::HostCannot, "anyone may write to the folder " + path.string())
        .hint("`chmod 700` it if nothing strange is in it, or set PYBOX_HOME to another place");
  }
  return {};
}

Result<void> remove_tree(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  const Fd folder(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) {
    if (errno == ENOENT) return {};
    return Error::from_errno(errno, "opening " + parent.string());
  }
  Result<void> removed = remove_entry(folder.get(), path.filename().c_str());
  if (!removed) return std::move(removed).error().context("removing " + path.string());
  return {};
}

}  // namespace pybox::sys
