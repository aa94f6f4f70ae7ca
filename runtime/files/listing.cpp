#include "files/listing.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace pybox::files {
namespace {

Entry::Kind kind_of(unsigned char type) {
  if (type == DT_UNKNOWN) return Entry::Kind::Unknown;
  return type == DT_DIR ? Entry::Kind::Folder : Entry::Kind::Other;
}

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

/// Whether `a` comes before `b`, each with a slash behind it if it is a folder.
bool before(const Entry& a, const Entry& b) {
  const std::size_t common = std::min(a.name.size(), b.name.size());
  const int order = a.name.compare(0, common, b.name, 0, common);
  if (order != 0) return order < 0;
  const auto next = [common](const Entry& entry) -> int {
    if (entry.name.size() > common) return static_cast<unsigned char>(entry.name[common]);
    return entry.kind == Entry::Kind::Folder ? '/' : -1;
  };
  return next(a) < next(b);
}

}  // namespace

Result<std::vector<Entry>> list_folder(int folder) {
  // readdir owns its descriptor; a duplicate would share the position, which nobody else uses.
  const int copy = ::fcntl(folder, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return Error::from_errno(errno, "reading a folder");
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(copy));
  if (!dir) {
    const int code = errno;
    ::close(copy);
    return Error::from_errno(code, "reading a folder");
  }
  std::vector<Entry> entries;
  errno = 0;
  while (const dirent* found = ::readdir(dir.get())) {
    const std::string_view name = found->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), kind_of(found->d_type)});
  }
  if (errno != 0) return Error::from_errno(errno, "reading a folder");
  std::sort(entries.begin(), entries.end(), before);
  return entries;
}

}  // namespace pybox::files
