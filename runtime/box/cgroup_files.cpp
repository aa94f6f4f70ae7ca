#include "box/cgroup_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "base/clock.hpp"
#include "base/crashpoint.hpp"
#include "sys/file.hpp"

namespace pybox::box {

Result<CgroupFolder> CgroupFolder::make(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0)
    return Error::from_errno(errno, "creating the cgroup " + path);
  PYBOX_CRASHPOINT("cgroup-made");
  CgroupFolder folder;
  folder.path_ = path;
  folder.fd_ = PYBOX_TRY(sys::open_path(path, O_RDONLY | O_DIRECTORY));
  return folder;
}

CgroupFolder CgroupFolder::adopt(std::string path) {
  CgroupFolder folder;
  folder.path_ = std::move(path);
  return folder;
}

CgroupFolder& CgroupFolder::operator=(CgroupFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

CgroupFolder::~CgroupFolder() {
  if (!path_.empty()) ::rmdir(path_.c_str());
}

Result<void> CgroupFolder::write(const char* file, std::string_view text) const {
  const sys::Fd fd = PYBOX_TRY(open(file, O_WRONLY));
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return Error::from_errno(errno, "writing `" + std::string(text) + "` to " + path_ + "/" + file);
  }
  return {};
}

std::optional<std::string> CgroupFolder::read(const char* file) const {
  Result<std::string> text = sys::read_file_at(fd_.get(), file);
  if (!text) return std::nullopt;
  return std::move(text).value();
}

std::optional<std::uint64_t> CgroupFolder::read_number(const char* file) const {
  const auto text = read(file);
  return text ? number_in(*text) : std::nullopt;
}

std::optional<std::uint64_t> CgroupFolder::read_keyed(const char* file,
                                                      std::string_view key) const {
  const auto text = read(file);
  return text ? keyed_number(*text, key) : std::nullopt;
}

Result<sys::Fd> CgroupFolder::open(const char* file, int flags) const {
  sys::Fd fd(::openat(fd_.get(), file, flags | O_CLOEXEC));
  if (!fd.is_open()) return Error::from_errno(errno, "opening " + path_ + "/" + file);
  return fd;
}

Result<void> CgroupFolder::remove(Nanos patience) {
  const Nanos deadline = monotonic_now() + patience;
  fd_.reset();
  while (::rmdir(path_.c_str()) != 0 && errno != ENOENT) {
    // EBUSY: the last task is dead but not yet unlinked from the group; the kernel offers no event
    // for that on v1, so look again shortly.
    if (errno != EBUSY || monotonic_now() >= deadline) {
      return Error::from_errno(errno, "removing the cgroup " + path_);
    }
    ::poll(nullptr, 0, 1);
  }
  path_.clear();
  PYBOX_CRASHPOINT("cgroup-folder-removed");
  return {};
}

std::string_view read_again(const sys::Fd& fd) {
  static std::array<char, 1024> text;  // boxd has one thread
  const ssize_t n = ::pread(fd.get(), text.data(), text.size(), 0);
  return {text.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

std::string first_line(std::optional<std::string> text) {
  return text ? text->substr(0, text->find('\n')) : "unreadable";
}

SealCheck compare(std::string name, std::string expected, std::string observed,
                  std::string method) {
  SealCheck check;
  check.ok = expected == observed;
  check.name = std::move(name);
  check.expected = std::move(expected);
  check.observed = std::move(observed);
  check.method = std::move(method);
  return check;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ') {
      return number_in(line.substr(key.size() + 1));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace pybox::box
