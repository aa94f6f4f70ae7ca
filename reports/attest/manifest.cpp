#include "reports/attest/manifest.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/text.hpp"
#include "reports/attest/names.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/file_digest.hpp"
#include "sys/listing.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

Error unfit(const fs::path& path, std::string_view what) {
  return {ErrorKind::Evidence, visible(path.string()) + " " + std::string(what)};
}

/// Names in a folder that is no link, sorted.
Result<std::vector<std::string>> names_in(const fs::path& path) {
  std::error_code trouble;
  if (!fs::is_directory(fs::symlink_status(path, trouble))) return unfit(path, "is no folder");
  std::vector<std::string> names;
  for (const fs::path& entry : sys::entries_of(path, trouble))
    names.push_back(entry.filename().string());
  if (trouble) return Error::from_errno(trouble.value(), "reading the folder " + path.string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> digest_of_file(const fs::path& path) {
  const sys::Fd fd = PYBOX_TRY(sys::open_path(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno(errno, "inspecting " + path.string());
  if (!S_ISREG(info.st_mode)) return unfit(path, "is not a regular file");
  return sys::digest_of_open(fd, path.string(), [](std::uint64_t) {});
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
