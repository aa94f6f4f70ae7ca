#pragma once
/// The owner of a file descriptor: explicit from int, move-only, closes on destruction.

#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace pybox::sys {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read;
  Fd write;
};

/// Both ends close-on-exec.
Result<Pipe> make_pipe();
/// A connected pair of SOCK_STREAM unix sockets, close-on-exec.
Result<std::pair<Fd, Fd>> make_socket_pair();
/// Marks a descriptor non-blocking.
Result<void> set_nonblocking(const Fd& fd);
/// Writes everything, through EINTR and short writes. Blocks if the descriptor blocks.
Result<void> write_all(int fd, std::string_view bytes);
/// Writes as much of `pending` as a non-blocking descriptor takes now and removes it from the
/// front; a full descriptor is no error. Precondition: SIGPIPE is ignored; a peer that went away is
/// an error (EPIPE).
Result<void> write_available(int fd, std::string& pending);
/// Reads to the end, at most `limit` bytes; more is an error.
Result<std::string> read_to_end(int fd, std::size_t limit);

}  // namespace pybox::sys
