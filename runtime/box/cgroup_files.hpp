#pragma once
/// Small readers and writers shared by both cgroup versions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "receipt/report.hpp"
#include "sys/fd.hpp"

namespace pybox::box {

/// A folder of the cgroup file system that removes itself when dropped without remove().
class CgroupFolder {
 public:
  static Result<CgroupFolder> make(const std::string& path);
  /// Takes over a folder somebody else left, to remove it.
  static CgroupFolder adopt(std::string path);
  CgroupFolder() = default;
  CgroupFolder(CgroupFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), fd_(std::move(other.fd_)) {}
  CgroupFolder& operator=(CgroupFolder&& other) noexcept;
  ~CgroupFolder();

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  Result<void> write(const char* file, std::string_view text) const;
  std::optional<std::string> read(const char* file) const;
  std::optional<std::uint64_t> read_number(const char* file) const;
  /// The number behind `key` in a "key value" file.
  std::optional<std::uint64_t> read_keyed(const char* file, std::string_view key) const;
  Result<sys::Fd> open(const char* file, int flags) const;
  Result<void> remove(Nanos patience);

 private:
  std::string path_;
  sys::Fd fd_;
};

/// Reads a counter file that stays open; kernfs produces its text anew from the start. The view
/// lasts until the next call.
std::string_view read_again(const sys::Fd& fd);

/// The first line of `text`.
std::string first_line(std::optional<std::string> text);
SealCheck compare(std::string name, std::string expected, std::string observed, std::string method);
/// The number in text, or nullopt ("max" and garbage).
std::optional<std::uint64_t> number_in(std::string_view text);
std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key);

}  // namespace pybox::box
