#include "cli/terminal/output_sink.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.hpp"

namespace pybox::cli {
namespace {

/// A pipe that poll(2) calls writable takes this much without blocking (man 7 pipe, PIPE_BUF).
constexpr std::size_t kPiece = 4096;

}  // namespace

std::string VisibleStream::feed(std::string_view bytes) {
  held_ += bytes;
  const std::size_t whole = cut_at_character(held_).size();
  std::string text = visible(std::string_view(held_).substr(0, whole), Lines::Keep);
  held_.erase(0, whole);
  return text;
}

std::string VisibleStream::finish() {
  std::string text = visible(held_, Lines::Keep);
  held_.clear();
  return text;
}

OutputSink::OutputSink(const Terminal& terminal, int cancel_fd) : cancel_fd_(cancel_fd) {
  streams_[0].fd = STDOUT_FILENO;
  streams_[0].is_terminal = terminal.out_is_terminal;
  streams_[1].fd = STDERR_FILENO;
  streams_[1].is_terminal = terminal.err_is_terminal;
}

void OutputSink::write(int stream, std::string_view bytes) {
  Stream& to = streams_[stream == 2 ? 1 : 0];
  if (!to.is_terminal) return deliver(to, bytes);
  const std::string text = to.visible.feed(bytes);
  if (!text.empty()) line_is_open_ = text.back() != '\n';
  deliver(to, text);
}

void OutputSink::finish() {
  for (Stream& stream : streams_) {
    const std::string text = stream.visible.finish();
    if (!text.empty()) line_is_open_ = true;
    deliver(stream, text);
  }
}

void OutputSink::deliver(Stream& stream, std::string_view bytes) {
  while (!bytes.empty() && !stream.gone) {
    // poll(2) skips a negative descriptor.
    std::array<pollfd, 2> ready{pollfd{stream.fd, POLLOUT, 0}, pollfd{cancel_fd_, POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), -1) < 0) continue;  // EINTR
    if (ready[0].revents == 0) return;                         // cancelled while nobody reads
    const ssize_t n = ::write(stream.fd, bytes.data(), std::min(bytes.size(), kPiece));
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR && errno != EAGAIN) {
      stream.gone = true;
    }
  }
}

}  // namespace pybox::cli
