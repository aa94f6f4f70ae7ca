#include "store/tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <memory>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "store/recipe.hpp"
#include "sys/file.hpp"
#include "sys/file_digest.hpp"

namespace pybox::store {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

/// One entry met on a walk: its parent folder (open), its name there, its path below the root.
struct Met {
  int parent;
  const char* name;
  std::string path;
  struct stat info;
};
using Visit = std::function<Result<void>(const Met&)>;

/// Visits everything below an open folder, folders before their content, names in byte order.
Result<void> walk(sys::Fd folder, const std::string& path, const Visit& visit) {
  std::unique_ptr<DIR, CloseDir> dir(::fdopendir(folder.get()));
  if (!dir) return Error::from_errno(errno, "reading the folder " + path);
  const int fd = folder.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
    errno = 0;
  }
  if (errno != 0) return Error::from_errno(errno, "reading the folder " + path);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    Met met{fd, name.c_str(), path.empty() ? name : path + "/" + name, {}};
    if (::fstatat(fd, met.name, &met.info, AT_SYMLINK_NOFOLLOW) != 0) {
      return Error::from_errno(errno, "inspecting " + met.path);
    }
    PYBOX_TRY(visit(met));
    if (!S_ISDIR(met.info.st_mode)) continue;
    sys::Fd inner(::openat(fd, met.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner.is_open()) return Error::from_errno(errno, "opening the folder " + met.path);
    PYBOX_TRY(walk(std::move(inner), met.path, visit));
  }
  return {};
}

Result<sys::Fd> open_root(const std::filesystem::path& root) {
  return sys::open_path(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

constexpr std::array<timespec, 2> kTimes = {timespec{kFileTime, 0}, timespec{kFileTime, 0}};

Result<void> settle_entry(const Met& met) {
  if (S_ISDIR(met.info.st_mode) || S_ISREG(met.info.st_mode)) {
    const bool open_to_run = S_ISDIR(met.info.st_mode) || (met.info.st_mode & 0111U) != 0;
    if (::fchmodat(met.parent, met.name, open_to_run ? 0555 : 0444, 0) != 0) {
      return Error::from_errno(errno, "setting the mode of " + met.path);
    }
  } else if (!S_ISLNK(met.info.st_mode)) {
    return Error(ErrorKind::Evidence,
                 visible(met.path) + " is a device, socket or FIFO; no image may hold one");
  }
  if (::utimensat(met.parent, met.name, kTimes.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    return Error::from_errno(errno, "setting the time of " + met.path);
  }
  return {};
}

Result<std::string> digest_of_file(const Met& met,
                                   const std::function<void(std::uint64_t)>& count) {
  const sys::Fd fd(::openat(met.parent, met.name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.is_open()) return Error::from_errno(errno, "opening " + met.path);
  return sys::digest_of_open(fd, met.path, count);
}

Result<std::string> target_of_link(const Met& met) {
  std::array<char, 4096> target;
  const ssize_t n = ::readlinkat(met.parent, met.name, target.data(), target.size());
  if (n < 0) return Error::from_errno(errno, "reading the link " + met.path);
  return std::string(target.data(), static_cast<std::size_t>(n));
}

std::string escaped(std::string_view raw) {
  std::string out;
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '\\') {
      out.push_back(c);
    } else {
      std::array<char, 5> code;
      (void)std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned>(byte));
      out += code.data();
    }
  }
  return out;
}

std::string line_of(const TreeEntry& entry) {
  std::array<char, 8> mode;
  (void)std::snprintf(mode.data(), mode.size(), "%04o", entry.mode);
  const std::string content = entry.content.empty() ? "-" : escaped(entry.content);
  return std::string(1, entry.type) + " " + mode.data() + " " + content + " " +
         escaped(entry.path) + "\n";
}

/// The path at the end of a canonical line, for messages.
std::string_view path_in(std::string_view line) { return line.substr(line.rfind(' ') + 1); }

}  // namespace

Result<void> settle_tree(const std::filesystem::path& root) {
  // Folders are visited before their content, so they must still be writable for chmod of entries:
  // chmod needs only ownership and search permission, which 0555 gives.
  sys::Fd folder = PYBOX_TRY(open_root(root));
  PYBOX_TRY(walk(std::move(folder), "", settle_entry));
  if (::chmod(root.c_str(), 0555) != 0 ||
      ::utimensat(AT_FDCWD, root.c_str(), kTimes.data(), 0) != 0) {
    return Error::from_errno(errno, "setting the mode of " + root.string());
  }
  return {};
}

Result<std::vector<TreeEntry>> list_tree(const std::filesystem::path& root, Progress& progress) {
  sys::Fd folder = PYBOX_TRY(open_root(root));
  struct stat info {};
  if (::fstat(folder.get(), &info) != 0)
    return Error::from_errno(errno, "inspecting " + root.string());
  std::vector<TreeEntry> entries = {{'d', info.st_mode & 07777U, ".", ""}};
  std::uint64_t bytes = 0;
  const auto count = [&](std::uint64_t n) {
    bytes += n;
    progress.advance(bytes, std::nullopt, Progress::Unit::Bytes);
  };
  const Visit visit = [&](const Met& met) -> Result<void> {
    TreeEntry entry{'d', met.info.st_mode & 07777U, met.path, ""};
    if (S_ISREG(met.info.st_mode)) {
      entry.type = 'f';
      entry.content = PYBOX_TRY(digest_of_file(met, count));
    } else if (S_ISLNK(met.info.st_mode)) {
      entry.type = 'l';
      entry.content = PYBOX_TRY(target_of_link(met));
    } else if (!S_ISDIR(met.info.st_mode)) {
      return Error(ErrorKind::Evidence,
                   visible(met.path) + " is a device, socket or FIFO; no image may hold one");
    }
    entries.push_back(std::move(entry));
    return {};
  };
  PYBOX_TRY(walk(std::move(folder), "", visit));
  return entries;
}

std::string canonical_text(std::vector<TreeEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](const TreeEntry& a, const TreeEntry& b) {
    if ((a.path == ".") != (b.path == ".")) return a.path == ".";
    return a.path < b.path;
  });
  std::string text;
  for (const TreeEntry& entry : entries) text += line_of(entry);
  return text;
}

std::string tree_id(std::string_view canonical_text) {
  return "sha256:" + sha256_hex(canonical_text);
}

Result<void> verify_tree(const std::filesystem::path& root, std::string_view canonical_text_wanted,
                         Progress& progress) {
  const std::vector<TreeEntry> entries = PYBOX_TRY(list_tree(root, progress));
  const std::string now = canonical_text(entries);
  if (now == canonical_text_wanted) return {};
  std::string_view left = canonical_text_wanted;
  std::string_view right = now;
  while (!left.empty() && !right.empty()) {
    const std::string_view wanted = left.substr(0, left.find('\n'));
    const std::string_view found = right.substr(0, right.find('\n'));
    if (wanted != found) {
      return Error(ErrorKind::Evidence, "the image tree differs from its record at `" +
                                            std::string(std::min(path_in(wanted), path_in(found))) +
                                            "`");
    }
    left.remove_prefix(std::min(left.size(), wanted.size() + 1));
    right.remove_prefix(std::min(right.size(), found.size() + 1));
  }
  return Error(ErrorKind::Evidence, "the image tree has more or fewer entries than its record");
}

}  // namespace pybox::store
