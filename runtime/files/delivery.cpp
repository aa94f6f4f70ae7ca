#include "files/delivery.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/crashpoint.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "files/listing.hpp"
#include "sys/file.hpp"

namespace pybox::files {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "user.pybox.untrusted";

Error undeliverable(std::string_view path, std::string_view why) {
  return Error(ErrorKind::Refused, "the output folder `" + visible(path) + "` " + std::string(why))
      .hint("name a folder that does not exist yet, or an empty one");
}

/// ".NAME.pybox-" begins the temporary folders of deliveries to NAME; cut so that a long name fits.
std::string temporary_prefix(const std::string& name) {
  return "." + name.substr(0, 200) + ".pybox-";
}

/// A folder under construction. Holds a lock for as long as it lives, so that others can tell it
/// from one that a killed client left. Removes itself unless it was renamed away.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const fs::path& parent, int parent_fd,
                                      const std::string& name) {
    TemporaryFolder made;
    made.name_ = temporary_prefix(name) + random_hex(8);
    made.path_ = parent / made.name_;
    if (::mkdirat(parent_fd, made.name_.c_str(), 0700) != 0)
      return Error::from_errno(errno, "making a folder beside it");
    made.fd_ = sys::Fd(
        ::openat(parent_fd, made.name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!made.fd_.is_open()) return Error::from_errno(errno, "opening a folder beside it");
    // Where there are no locks (some network file systems) leftovers stay.
    ::flock(made.fd_.get(), LOCK_EX | LOCK_NB);
    return made;
  }
  ~TemporaryFolder() {
    if (!path_.empty()) (void)sys::remove_tree(path_).has_value();
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : name_(std::move(other.name_)),
        path_(std::exchange(other.path_, {})),
        fd_(std::move(other.fd_)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  int fd() const { return fd_.get(); }
  const char* name() const { return name_.c_str(); }
  void keep() { path_.clear(); }

 private:
  TemporaryFolder() = default;
  std::string name_;
  fs::path path_;
  sys::Fd fd_;
};

/// Removes what killed clients left of deliveries to the same name.
void sweep(const fs::path& parent, int parent_fd, const std::string& name) {
  const sys::Fd listed(::openat(parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listed.is_open()) return;
  const auto entries = list_folder(listed.get());
  if (!entries) return;
  for (const Entry& entry : *entries) {
    if (!entry.name.starts_with(temporary_prefix(name))) continue;
    const sys::Fd left(
        ::openat(parent_fd, entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!left.is_open() || ::fstat(left.get(), &info) != 0 || info.st_uid != ::geteuid()) continue;
    if (::flock(left.get(), LOCK_EX | LOCK_NB) != 0) continue;
    (void)sys::remove_tree(parent / entry.name).has_value();
  }
}

Result<void> write_file(int folder, const ReturnedFile& file, const std::string& mark) {
  // No component was there before and none can be a link: only we write here.
  for (std::size_t end = file.name.find('/'); end != std::string::npos;
       end = file.name.find('/', end + 1)) {
    if (::mkdirat(folder, file.name.substr(0, end).c_str(), 0700) != 0 && errno != EEXIST)
      return Error::from_errno(errno, "making the folder of `" + file.name + "`");
  }
  const sys::Fd fd(::openat(folder, file.name.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.is_open()) return Error::from_errno(errno, "creating `" + file.name + "`");
  ::fsetxattr(fd.get(), kMark, mark.data(), mark.size(), 0);  // a wish: not every file system can
  PYBOX_TRY_CONTEXT(sys::write_all(fd.get(), file.content), "writing `" + file.name + "`");
  return {};
}

bool is_empty(int parent, const char* name, bool& readable) {
  const sys::Fd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto entries =
      fd.is_open() ? list_folder(fd.get()) : Result<std::vector<Entry>>(std::vector<Entry>{});
  readable = fd.is_open() && entries.has_value();
  return readable && entries->empty();
}

/// Where `path` really lies: the folder a link leads to, no trailing slash, no ".".
Result<fs::path> real_place(std::string_view asked) {
  std::error_code error;
  const fs::path given = fs::absolute(std::string(asked), error).lexically_normal();
  fs::path path = given.has_filename() ? given : given.parent_path();
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    path = fs::canonical(path, error);
    if (error) return undeliverable(asked, "is a link that leads nowhere");
  }
  if (!path.has_filename()) return undeliverable(asked, "is the root folder");
  return path;
}

}  // namespace

Result<OutputFolder> OutputFolder::prepare(std::string_view path) {
  if (path.empty()) return Error(ErrorKind::Usage, "the output folder's name is empty");
  OutputFolder folder;
  folder.asked_ = path;
  const fs::path place = PYBOX_TRY(real_place(path));
  folder.parent_ = place.parent_path();
  folder.name_ = place.filename();
  folder.parent_fd_ = sys::Fd(::open(folder.parent_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.parent_fd_.is_open())
    return Error(ErrorKind::Refused,
                 "the output folder `" + visible(path) + "` has no folder to lie in: `" +
                     visible(folder.parent_.string()) + "` is not a folder that can be entered")
        .hint("make that one first: PyBox makes the last folder of the path only");
  const int parent = folder.parent_fd_.get();
  if (::faccessat(parent, ".", W_OK | X_OK, AT_EACCESS) != 0)
    return undeliverable(
        path, "cannot be made: `" + visible(folder.parent_.string()) + "` cannot be written to");
  struct stat info {};
  if (::fstatat(parent, folder.name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return folder;
    return undeliverable(path,
                         "cannot be looked at: " + Error::from_errno(errno, "stat").message());
  }
  folder.existed_ = true;
  if (!S_ISDIR(info.st_mode)) return undeliverable(path, "is not a folder");
  bool readable = false;
  if (!is_empty(parent, folder.name_.c_str(), readable))
    return undeliverable(path, readable ? "is not empty" : "cannot be read");
  struct stat above {};
  struct stat here {};
  // A new folder takes its place, which would leave a mount or this process behind.
  if (::fstatat(parent, ".", &above, 0) != 0 || above.st_dev != info.st_dev)
    return undeliverable(path, "is a mount point, which no other folder can take the place of");
  if (::stat(".", &here) == 0 && here.st_dev == info.st_dev && here.st_ino == info.st_ino)
    return undeliverable(path,
                         "is the current folder, which no other folder can take the place of");
  return folder;
}

Result<void> OutputFolder::deliver(const Files& files, std::string_view mark) const {
  const int parent = parent_fd_.get();
  sweep(parent_, parent, name_);
  TemporaryFolder folder = PYBOX_TRY(TemporaryFolder::make(parent_, parent, name_));
  PYBOX_CRASHPOINT("delivery.folder-made");
  for (const ReturnedFile& file : files.returned) {
    PYBOX_TRY(write_file(folder.fd(), file, std::string(mark)));
    PYBOX_CRASHPOINT("delivery.file-written");
  }
  // An empty folder gives way to another by plain rename; nothing else may stand there by now.
  const unsigned how = existed_ ? 0 : RENAME_NOREPLACE;
  int renamed = ::renameat2(parent, folder.name(), parent, name_.c_str(), how);
  if (renamed != 0 && errno == EINVAL && how != 0)  // a file system without RENAME_NOREPLACE
    renamed = ::renameat(parent, folder.name(), parent, name_.c_str());
  if (renamed != 0) return Error::from_errno(errno, "giving the finished folder its name");
  folder.keep();
  PYBOX_CRASHPOINT("delivery.renamed");
  return {};
}

}  // namespace pybox::files
