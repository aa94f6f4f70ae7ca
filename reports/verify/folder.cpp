#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "reports/verify/parts.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::reports::verify {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 10> kRequired = {
    "allowed_signers", "campaign.json",  "ctrf.json", "events.jsonl", "evidence.pub",
    "junit.xml",       "plan.dsse.json", "plan.json", "report.html",  "summary.md"};
constexpr std::array<std::string_view, 8> kRequiredOfBench = {
    "allowed_signers", "bench.json", "events.jsonl", "evidence.pub",
    "plan.dsse.json",  "plan.json",  "report.html",  "summary.md"};
constexpr std::array<std::string_view, 2> kOptional = {"history.json", "previous.json"};
constexpr std::array<std::string_view, 3> kSigning = {"evidence.intoto.jsonl", "manifest.sha256",
                                                      "manifest.sha256.sshsig"};
constexpr std::size_t kMostFiles = 200000;

template <class List>
bool stands_in(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_blob(std::string_view name) {
  return name.size() == 69 && name.starts_with("raw/") && name[6] == '/' &&
         is_hex(name.substr(4, 2)) && is_hex(name.substr(7));
}

/// No name of a manifest is opened before it passed here: nothing outside the folder is touched.
Result<void> check_name(std::string_view name, FolderOf whose, const std::string& place) {
  if (name.starts_with('/') || name.find("..") != std::string_view::npos) {
    return wrong(place + " names a file outside the folder: " + visible(name));
  }
  if (whose == FolderOf::Bench
          ? stands_in(kRequiredOfBench, name)
          : is_blob(name) || stands_in(kRequired, name) || stands_in(kOptional, name))
    return {};
  return wrong(place +
               " names a file that does not belong into an evidence folder: " + visible(name));
}

/// Everything below a folder but the folders themselves, as paths from the top.
Result<void> list_files(const fs::path& dir, const std::string& below, int depth,
                        std::set<std::string>& names) {
  std::error_code trouble;
  const auto entries = sys::entries_of(dir / below, trouble);
  if (trouble) return Error::from_errno(trouble.value(), "reading " + (dir / below).string());
  if (entries.empty() && !below.empty())
    return wrong("an empty folder is too many: " + visible(below));
  for (const fs::path& entry : entries) {
    const std::string name = entry.filename().string();
    const std::string path = below.empty() ? name : below + "/" + name;
    const fs::file_type type = fs::symlink_status(entry, trouble).type();
    if (type == fs::file_type::directory) {
      if (depth == 0) return wrong("there is a folder too many: " + visible(path));
      PYBOX_TRY(list_files(dir, path, depth - 1, names));
    } else if (type == fs::file_type::regular) {
      names.insert(path);
    } else {
      return wrong(visible(path) + " is a link or a special file, not a plain one");
    }
    if (names.size() > kMostFiles) return wrong("there are more than 200000 files in the folder");
  }
  return {};
}

}  // namespace

Error wrong(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

Result<std::string> read_plain(const fs::path& path, std::size_t limit) {
  const sys::Fd fd = PYBOX_TRY(sys::open_path(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno(errno, "inspecting " + path.string());
  if (!S_ISREG(info.st_mode)) return wrong(visible(path.string()) + " is not a plain file");
  if (static_cast<std::uint64_t>(info.st_size) > limit)
    return wrong(visible(path.string()) + " has more than " + std::to_string(limit) + " bytes");
  return PYBOX_TRY_CONTEXT(sys::read_to_end(fd.get(), limit), visible(path.string()));
}

Result<Manifest> read_manifest(std::string_view text, FolderOf whose) {
  Manifest manifest;
  std::string before;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string place = "manifest.sha256 line " + std::to_string(++number);
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return wrong(place + " has no end");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.size() < 67 || !is_hex(line.substr(0, 64)) || line.substr(64, 2) != "  ") {
      return wrong(place + " is not a SHA-256, two blanks and a name");
    }
    const std::string name(line.substr(66));
    PYBOX_TRY(check_name(name, whose, place));
    if (name <= before) return wrong(place + " is out of order or a name twice: " + visible(name));
    manifest[name] = line.substr(0, 64);
    before = name;
  }
  const auto required = whose == FolderOf::Bench
                            ? std::span<const std::string_view>(kRequiredOfBench)
                            : std::span<const std::string_view>(kRequired);
  for (const std::string_view name : required) {
    if (!manifest.contains(std::string(name))) {
      return wrong("manifest.sha256 does not name " + std::string(name));
    }
  }
  return manifest;
}

Result<void> check_files(const fs::path& dir, const Manifest& manifest) {
  std::set<std::string> there;
  PYBOX_TRY(list_files(dir, "", 2, there));
  for (const std::string_view name : kSigning) there.erase(std::string(name));
  for (const std::string& name : there) {
    if (!manifest.contains(name)) {
      return wrong(visible(name) + " is in the folder, but not in the manifest");
    }
  }
  for (const auto& [name, digest] : manifest) {
    if (!there.contains(name)) return wrong(name + " is named by the manifest, but is missing");
    const std::string content = PYBOX_TRY(read_plain(dir / name));
    if (sha256_hex(content) != digest) {
      return wrong(name + " was changed: its SHA-256 is not the one in the manifest");
    }
    if (is_blob(name) && digest != name.substr(4, 2) + name.substr(7)) {
      return wrong(name + " is not named by its own SHA-256");
    }
  }
  return {};
}

}  // namespace pybox::reports::verify
