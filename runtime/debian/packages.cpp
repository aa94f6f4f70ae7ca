#include "debian/packages.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sstream>

#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/file_digest.hpp"

namespace pybox::debian {
namespace {

Error malformed(std::string_view line) {
  return Error(ErrorKind::Evidence, "apt named a package in a form PyBox does not know: " +
                                        visible(line.substr(0, 300)));
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("+-._~%").find(c) != std::string_view::npos;
  });
}

std::string decoded(std::string_view version) {
  std::string out;
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (version.substr(i, 3) == "%3a") {
      out.push_back(':');
      i += 2;
    } else {
      out.push_back(version[i]);
    }
  }
  return out;
}

/// NAME_VERSION_ARCHITECTURE.deb
bool read_file_name(store::Package& package) {
  const std::string_view file = package.file;
  const std::size_t first = file.find('_');
  const std::size_t last = file.rfind('_');
  if (!is_plain_name(file) || first == std::string_view::npos || first == last ||
      !file.ends_with(".deb")) {
    return false;
  }
  package.name = file.substr(0, first);
  package.version = decoded(file.substr(first + 1, last - first - 1));
  package.architecture = file.substr(last + 1, file.size() - last - 5);
  return is_plain_name(package.name) && !package.version.empty() && !package.architecture.empty();
}

enum class Found { Absent, Damaged, Good };

/// `hashed` counts the bytes read, over all packages, for the progress line.
Result<Found> look_at(const std::filesystem::path& archives, const store::Package& package,
                      std::uint64_t& hashed, std::uint64_t total, Progress& progress) {
  const std::filesystem::path path = archives / package.file;
  const sys::Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!fd.is_open()) {
    if (errno == ENOENT) return Found::Absent;
    return Error::from_errno(errno, "opening " + path.string());
  }
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno(errno, "inspecting " + path.string());
  if (!S_ISREG(info.st_mode) || static_cast<std::uint64_t>(info.st_size) != package.bytes)
    return Found::Damaged;
  const std::string digest = PYBOX_TRY(sys::digest_of_open(fd, path.string(), [&](std::uint64_t n) {
    hashed += n;
    progress.advance(hashed, total, Progress::Unit::Bytes);
  }));
  return digest == package.sha256 ? Found::Good : Found::Damaged;
}

std::uint64_t bytes_of(const std::vector<store::Package>& packages) {
  std::uint64_t total = 0;
  for (const store::Package& package : packages) total += package.bytes;
  return total;
}

}  // namespace

Result<std::vector<store::Package>> packages_in_uris(std::string_view text) {
  std::vector<store::Package> packages;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    // The URI is quoted and may hold spaces.
    const std::size_t quote = line.rfind('\'');
    if (line.front() != '\'' || quote == 0) return malformed(line);
    std::istringstream fields(line.substr(quote + 1));
    store::Package package;
    std::string bytes;
    std::string digest;
    fields >> package.file >> bytes >> digest;
    const auto parsed = std::from_chars(bytes.data(), bytes.data() + bytes.size(), package.bytes);
    if (parsed.ec != std::errc() || parsed.ptr != bytes.data() + bytes.size())
      return malformed(line);
    if (!digest.starts_with("SHA256:") || digest.size() != 7 + 64) return malformed(line);
    package.sha256 = digest.substr(7);
    if (!read_file_name(package)) return malformed(line);
    packages.push_back(std::move(package));
  }
  std::sort(packages.begin(), packages.end(),
            [](const store::Package& a, const store::Package& b) { return a.file < b.file; });
  return packages;
}

Result<std::uint64_t> drop_damaged(const std::filesystem::path& archives,
                                   const std::vector<store::Package>& packages,
                                   Progress& progress) {
  std::uint64_t hashed = 0;
  std::uint64_t missing = 0;
  const std::uint64_t total = bytes_of(packages);
  for (const store::Package& package : packages) {
    const Found found = PYBOX_TRY(look_at(archives, package, hashed, total, progress));
    if (found == Found::Good) continue;
    missing += package.bytes;
    if (found == Found::Damaged) PYBOX_TRY(sys::remove_tree(archives / package.file));
  }
  return missing;
}

Result<void> verify_packages(const std::filesystem::path& archives,
                             const std::vector<store::Package>& packages, Progress& progress) {
  std::uint64_t hashed = 0;
  const std::uint64_t total = bytes_of(packages);
  for (const store::Package& package : packages) {
    const Found found = PYBOX_TRY(look_at(archives, package, hashed, total, progress));
    if (found == Found::Good) continue;
    return Error(ErrorKind::Evidence,
                 "the package " + package.file +
                     (found == Found::Absent ? " did not arrive"
                                             : " is not the one the archive signed"))
        .hint(
            "run `pybox setup` again; if it happens again, the mirror is broken: name another with "
            "--mirror");
  }
  return {};
}

}  // namespace pybox::debian
