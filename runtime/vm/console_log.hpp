#pragma once
/// The guest's console and QEMU's own words, kept in files of bounded size.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"

namespace pybox::vm {

/// Appends to a file until it is full, then moves it to NAME.old and begins again, so that at most
/// twice the limit is kept: the guest decides how much it prints. A full disk loses log lines,
/// nothing else.
class ConsoleLog {
 public:
  static Result<ConsoleLog> open(std::filesystem::path file, Bytes limit = 1_MiB);
  void append(std::string_view bytes);
  /// Hears what is appended from now on, too.
  void share(std::function<void(std::string_view)> listener) { listener_ = std::move(listener); }
  /// The last bytes that were appended, at most 4 KiB.
  const std::string& tail() const { return tail_; }

 private:
  ConsoleLog(std::filesystem::path file, Bytes limit, sys::Fd fd, std::uint64_t size)
      : file_(std::move(file)), limit_(limit), fd_(std::move(fd)), size_(size) {}
  void turn_over();

  std::filesystem::path file_;
  Bytes limit_;
  sys::Fd fd_;
  std::uint64_t size_ = 0;
  std::string tail_;
  std::function<void(std::string_view)> listener_;
};

}  // namespace pybox::vm
