#include "files/collect.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/crashpoint.hpp"
#include "base/digest.hpp"
#include "files/listing.hpp"
#include "files/name.hpp"
#include "sys/fd.hpp"

namespace pybox::files {
namespace {

std::string_view kind_fault(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

class Collector {
 public:
  Collector(const CollectLimits& limits, const Reach& reach) : limits_(limits), reach_(reach) {}

  Files collect(int folder) {
    const auto listing = list(folder, ".");
    if (!listing) {
      files_.status = Files::Status::NotReceived;
      return std::move(files_);
    }
    files_.status = Files::Status::Received;
    for (const Entry& entry : listing->entries) take(listing->folder.get(), entry, "", 1);
    return std::move(files_);
  }

 private:
  struct Open {
    sys::Fd folder;
    std::vector<Entry> entries;
  };

  Result<Open> list(int parent, const char* name);
  void take(int folder, const Entry& entry, const std::string& prefix, std::size_t depth);
  void take_folder(int folder, const char* name, const std::string& path, std::size_t depth);
  void take_file(int folder, const char* name, const std::string& path, const struct stat& info);
  std::string_view fault_of_file(const std::string& path, const struct stat& info) const;
  /// Opens even what its owner took the right to read from.
  sys::Fd open(int folder, const char* name, int flags, mode_t mode) const;
  void leave(const std::string& path, std::optional<std::uint64_t> bytes, std::string_view why);

  const CollectLimits& limits_;
  const Reach& reach_;
  Files files_;
  std::uint64_t bytes_ = 0;
  std::uint64_t names_ = 0;
};

void Collector::leave(const std::string& path, std::optional<std::uint64_t> bytes,
                      std::string_view why) {
  ++files_.omitted_total;
  if (files_.omitted.size() < limits_.listed)
    files_.omitted.push_back({shown(path), bytes, std::string(why)});
}

sys::Fd Collector::open(int folder, const char* name, int flags, mode_t mode) const {
  sys::Fd fd(reach_.open(folder, name, flags));
  if (fd.is_open() || errno != EACCES) return fd;
  // Under a single id boxd is the owner and no more than that.
  if (::fchmodat(folder, name, mode, AT_SYMLINK_NOFOLLOW) == 0)
    fd = sys::Fd(reach_.open(folder, name, flags));
  return fd;
}

Result<Collector::Open> Collector::list(int parent, const char* name) {
  Open open;
  open.folder = this->open(parent, name, O_RDONLY | O_DIRECTORY, 0700);
  if (!open.folder.is_open()) return Error::from_errno(errno, "opening a folder");
  open.entries = PYBOX_TRY(list_folder(open.folder.get()));
  return open;
}

void Collector::take(int folder, const Entry& entry, const std::string& prefix, std::size_t depth) {
  // Nothing but the count can change any more: thousands of entries need not be looked at.
  const bool full =
      files_.returned.size() >= limits_.files && files_.omitted.size() >= limits_.listed;
  if (full && entry.kind == Entry::Kind::Other) {
    ++files_.omitted_total;
    return;
  }
  const std::string path = prefix + entry.name;
  struct stat info {};
  if (reach_.look(folder, entry.name.c_str(), &info) != 0)
    return leave(path, std::nullopt, std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return take_folder(folder, entry.name.c_str(), path, depth);
  if (!S_ISREG(info.st_mode)) return leave(path, std::nullopt, kind_fault(info.st_mode));
  take_file(folder, entry.name.c_str(), path, info);
}

void Collector::take_folder(int folder, const char* name, const std::string& path,
                            std::size_t depth) {
  const std::string shown_path = path + "/";
  if (depth >= kDeepestPath) return leave(shown_path, std::nullopt, "a folder inside 31 others");
  const std::string_view fault = fault_of_path(path);
  if (!fault.empty()) return leave(shown_path, std::nullopt, "a folder, and " + std::string(fault));
  const auto listing = list(folder, name);
  if (!listing) return leave(shown_path, std::nullopt, "a folder that cannot be read");
  if (listing->entries.empty()) return leave(shown_path, std::nullopt, "an empty folder");
  for (const Entry& entry : listing->entries)
    take(listing->folder.get(), entry, shown_path, depth + 1);
}

std::string_view Collector::fault_of_file(const std::string& path, const struct stat& info) const {
  const std::string_view fault = fault_of_path(path);
  if (!fault.empty()) return fault;
  if (info.st_nlink != 1) return "a hard link: the file has other names";
  if (files_.returned.size() >= limits_.files) return "as many files as may come back were there";
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > limits_.bytes.count) return "larger than all that may come back";
  if (size > limits_.bytes.count - bytes_) return "larger than what was left of what may come back";
  if (path.size() > limits_.names.count - names_) return "its name is longer than what was left";
  return {};
}

void Collector::take_file(int folder, const char* name, const std::string& path,
                          const struct stat& info) {
  PYBOX_CRASHPOINT("before-file");
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const std::string_view fault = fault_of_file(path, info);
  if (!fault.empty()) return leave(path, size, fault);
  const sys::Fd fd = open(folder, name, O_RDONLY, 0600);
  if (!fd.is_open()) return leave(path, size, std::strerror(errno));
  struct stat now {};
  const bool same = ::fstat(fd.get(), &now) == 0 && now.st_dev == info.st_dev &&
                    now.st_ino == info.st_ino && S_ISREG(now.st_mode) && now.st_nlink == 1;
  // Reading stops at the size that was counted, so a growing file costs nothing.
  auto content = sys::read_to_end(fd.get(), size);
  if (!same || !content || content->size() != size)
    return leave(path, size, "it changed while it was collected");
  bytes_ += size;
  names_ += path.size();
  files_.returned.push_back({path, size, sha256_hex(*content), std::move(*content)});
  PYBOX_CRASHPOINT("after-file");
}

}  // namespace

Files collect(int folder, const CollectLimits& limits, const Reach& reach) {
  return Collector(limits, reach).collect(folder);
}

}  // namespace pybox::files
