#include "mcp/outbox.hpp"
#include "base/crashpoint.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace pybox::mcp {

/// The description behind stdout is shared with whoever started us, so its flags stay as they are.
/// A pipe or a terminal is opened anew with flags of its own; a socket takes them with each call.
Outbox::Outbox(sys::Fd fd) : fd_(std::move(fd)) {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) return;
  if (S_ISSOCK(status.st_mode)) kind_ = Kind::Socket;
  if (S_ISREG(status.st_mode)) kind_ = Kind::File;
  if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode)) return;
  const std::string self = fmt::format("/proc/self/fd/{}", fd_.get());
  sys::Fd own(::open(self.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (own.is_open()) fd_ = std::move(own);
}

void Outbox::send(std::string_view line, Nanos now) {
  if (broken_) return;
  if (empty()) {
    pending_.clear();
    sent_ = 0;
    moved_at_ = now;
  }
  pending_ += line;
  pending_ += '\n';
  PYBOX_CRASHPOINT("reply-made");
  flush(now);
  PYBOX_CRASHPOINT("reply-written");
}

long Outbox::write_some() {
  const char* data = pending_.data() + sent_;
  if (kind_ == Kind::Socket) return ::send(fd_.get(), data, size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (kind_ == Kind::File) return ::write(fd_.get(), data, size());
  // Where opening anew was refused the descriptor may block; a pipe that polls as writable takes
  // this much without blocking (man 7 pipe).
  pollfd one{fd_.get(), POLLOUT, 0};
  if (::poll(&one, 1, 0) != 1) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(fd_.get(), data, std::min<std::size_t>(size(), PIPE_BUF));
}

void Outbox::flush(Nanos now) {
  while (!broken_ && !empty()) {
    const long n = write_some();
    if (n > 0) {
      sent_ += static_cast<std::size_t>(n);
      moved_at_ = now;
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    } else {
      give_up();
    }
  }
}

void Outbox::give_up() {
  broken_ = true;
  pending_.clear();
  sent_ = 0;
}

std::optional<Nanos> Outbox::waiting_since() const {
  return empty() ? std::nullopt : std::optional(moved_at_);
}

}  // namespace pybox::mcp
