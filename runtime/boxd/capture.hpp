#pragma once
/// One output stream of the program: everything is counted and hashed, the first `keep` bytes stay.

#include <functional>
#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "receipt/report.hpp"
#include "sys/fd.hpp"

namespace pybox::boxd {

class Capture {
 public:
  /// `fd` is the non-blocking read end.
  Capture(sys::Fd fd, Bytes keep) : fd_(std::move(fd)), keep_(keep) {}

  Bytes keeps() const { return keep_; }
  int fd() const { return fd_.get(); }
  bool is_open() const { return fd_.is_open(); }

  /// Reads what is there, at most a few hundred KiB so that a flood cannot hold up the other boxes.
  /// `kept` gets the bytes that are newly kept, if any.
  void drain_some(const std::function<void(std::string_view)>& kept);
  /// After the last process ended: reads to the end and closes.
  void drain_rest(const std::function<void(std::string_view)>& kept);

  CapturedStream take() &&;

 private:
  bool read_once(const std::function<void(std::string_view)>& kept);

  sys::Fd fd_;
  Bytes keep_;
  std::string bytes_;
  std::uint64_t total_ = 0;
  Sha256 digest_;
};

}  // namespace pybox::boxd
