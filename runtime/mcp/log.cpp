#include "mcp/log.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.hpp"

namespace pybox::mcp {
namespace {

/// Below PIPE_BUF with everything around it.
constexpr std::size_t kMaxText = 1000;

}  // namespace

bool Log::write(std::string_view text) const {
  pollfd one{fd_, POLLOUT, 0};
  if (::poll(&one, 1, 0) != 1 || (one.revents & POLLOUT) == 0) return false;
  // A socket that polls as writable may still block for all of it; a pipe does not.
  ssize_t n = ::send(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0 && errno == ENOTSOCK) n = ::write(fd_, text.data(), text.size());
  return n > 0;
}

void Log::line(std::string_view text) {
  const std::string shown = visible(text.substr(0, kMaxText));
  const std::string lost = dropped_ == 0 ? "" : fmt::format(" ({} lines were not read)", dropped_);
  if (write(fmt::format("pybox mcp: {}{}\n", shown, lost))) {
    dropped_ = 0;
  } else {
    ++dropped_;
  }
}

}  // namespace pybox::mcp
