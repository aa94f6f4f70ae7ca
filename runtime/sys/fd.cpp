#include "sys/fd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace pybox::sys {

void Fd::reset() {
  // close(2): on Linux the descriptor is gone even after EINTR, so it is never retried.
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error::from_errno(errno, "making a pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<std::pair<Fd, Fd>> make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Error::from_errno(errno, "making a socket pair");
  }
  return std::pair{Fd(ends[0]), Fd(ends[1])};
}

Result<void> set_nonblocking(const Fd& fd) {
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return Error::from_errno(errno, "making a descriptor non-blocking");
  }
  return {};
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      // A caller's terminal or pipe may be non-blocking; wait for room instead of losing bytes.
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return Error::from_errno(errno, "writing");
    }
  }
  return {};
}

Result<void> write_available(int fd, std::string& pending) {
  std::size_t done = 0;
  int failure = 0;
  while (done < pending.size()) {
    const ssize_t n = ::write(fd, pending.data() + done, pending.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      failure = n == 0 ? EAGAIN : errno;
      break;
    }
  }
  pending.erase(0, done);
  if (failure == 0 || failure == EAGAIN) return {};
  return Error::from_errno(failure, "writing");
}

Result<std::string> read_to_end(int fd, std::size_t limit) {
  std::string all;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n == 0) return all;
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        // A caller's stdin may be non-blocking.
        pollfd more{fd, POLLIN, 0};
        ::poll(&more, 1, -1);
        continue;
      }
      return Error::from_errno(errno, "reading");
    }
    if (all.size() + static_cast<std::size_t>(n) > limit) {
      return Error(ErrorKind::Refused, "more than " + std::to_string(limit) + " bytes");
    }
    all.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace pybox::sys
