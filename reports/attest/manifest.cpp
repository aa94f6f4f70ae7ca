#include "reports/attest/manifest.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "reports/attest/names.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

Error unfit(const fs::path& path, std::string_view what) {
  return {ErrorKind::Evidence, visible(path.string()) + " " + std::string(what)};
}

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

/// Names in a folder, sorted. No link is followed to get there.
Result<std::vector<std::string>> names_in(const fs::path& path) {
  sys::Fd fd = PYBOX_TRY(sys::open_path(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(fd.get()));
  if (!dir) return Error::from_errno(errno, "reading the folder " + path.string());
  static_cast<void>(fd.release());
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> digest_of_file(const fs::path& path) {
  const sys::Fd fd = PYBOX_TRY(sys::open_path(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno(errno, "inspecting " + path.string());
  if (!S_ISREG(info.st_mode)) return unfit(path, "is not a regular file");
  Sha256 digest;
  std::array<char, 65536> block{};
  while (true) {
    const ssize_t size = ::read(fd.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Error::from_errno(errno, "reading " + path.string());
    if (size == 0) return digest.hex();
    digest.update({block.data(), static_cast<std::size_t>(size)});
  }
}

Result<void> add_blobs(const fs::path& dir, std::map<std::string, std::string>& digests) {
  for (const std::string& head : PYBOX_TRY(names_in(dir / "raw"))) {
    for (const std::string& tail : PYBOX_TRY(names_in(dir / "raw" / head))) {
      const std::string name = "raw/" + head + "/" + tail;
      if (!is_blob_name(name)) return unfit(dir / name, "is not named by a SHA-256");
      std::string digest = PYBOX_TRY(digest_of_file(dir / name));
      if (digest != head + tail)
        return unfit(dir / name, "does not have the SHA-256 it is named by");
      digests[name] = std::move(digest);
    }
  }
  return {};
}

}  // namespace

Result<std::map<std::string, std::string>> digests_of(const fs::path& dir, FolderOf whose) {
  std::map<std::string, std::string> digests;
  for (const std::string& name : PYBOX_TRY(names_in(dir))) {
    if (is_signing_file(name)) continue;
    if (name == "raw" && whose == FolderOf::Campaign) {
      PYBOX_TRY(add_blobs(dir, digests));
    } else if (is_evidence_file(name, whose)) {
      digests[name] = PYBOX_TRY(digest_of_file(dir / name));
    } else {
      return unfit(dir / name, "does not belong into an evidence folder")
          .hint(whose == FolderOf::Campaign
                    ? "move it away; docs/evidence.md lists what belongs there"
                    : "move it away; docs/benchmarks.md lists what belongs there");
    }
  }
  return digests;
}

std::string manifest_text(const std::map<std::string, std::string>& digests) {
  std::string text;
  for (const auto& [name, digest] : digests) text += digest + "  " + name + "\n";
  return text;
}

}  // namespace pybox::reports
