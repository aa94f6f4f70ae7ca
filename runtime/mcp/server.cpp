#include "mcp/server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/clock.hpp"
#include "mcp/lines.hpp"
#include "mcp/log.hpp"
#include "mcp/outbox.hpp"
#include "mcp/session.hpp"
#include "sys/process.hpp"

namespace pybox::mcp {
namespace {

/// A client that takes no byte for so long has stalled.
constexpr Nanos kStallPatience = std::chrono::seconds(5);
/// From the session's end to the process's, at most.
constexpr Nanos kEndPatience = Millis(1800);
/// With so much unread no further message is taken.
constexpr std::size_t kMaxUnread = std::size_t{1} << 20U;

class Server {
 public:
  Server(const Operator& allowed, Stdio stdio, int signal_fd, sys::Fd done)
      : in_(std::move(stdio.in)),
        outbox_(std::move(stdio.out)),
        signal_fd_(signal_fd),
        done_(std::move(done)),
        log_(STDERR_FILENO),
        session_(
            allowed, [this](std::string_view line) { outbox_.send(line, monotonic_now()); }, log_,
            done_.get()) {}

  Result<Ending> run(int (*code_for)(Ending));

 private:
  bool reading() const { return !ending_ && outbox_.size() < kMaxUnread; }
  Result<void> wait();
  std::optional<Nanos> next_deadline() const;
  void read_input();
  void take_lines(Nanos now);
  void read_signal();
  void look_at_clocks(Nanos now);
  void end(Ending why, std::string_view words);

  sys::Fd in_;
  Outbox outbox_;
  int signal_fd_;
  sys::Fd done_;
  Log log_;
  LineReader lines_;
  Session session_;
  std::optional<Ending> ending_;
  Nanos end_by_{};
};

void Server::end(Ending why, std::string_view words) {
  if (ending_) return;
  // What has finished by now is still answered.
  session_.collect();
  ending_ = why;
  end_by_ = monotonic_now() + kEndPatience;
  session_.cancel_all(words);
}

void Server::take_lines(Nanos now) {
  while (!ending_) {
    const auto line = lines_.next();
    if (!line) return;
    session_.take(*line, now);
    if (session_.exhausted()) end(Ending::TooManyMessages, "too many messages");
  }
}

void Server::read_input() {
  std::array<char, 65536> chunk;
  const ssize_t n = ::read(in_.get(), chunk.data(), chunk.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  const Nanos now = monotonic_now();
  if (n > 0) {
    lines_.feed({chunk.data(), static_cast<std::size_t>(n)});
    return take_lines(now);
  }
  if (const auto line = lines_.last()) session_.take(*line, now);
  if (!session_.anything_read()) {
    log_.line("stdin ended before the first message; an MCP client starts this command");
  }
  end(Ending::EndOfInput, "the client closed stdin");
}

void Server::read_signal() {
  signalfd_siginfo signal{};
  if (::read(signal_fd_, &signal, sizeof signal) != sizeof signal) return;
  const bool interrupt = signal.ssi_signo == static_cast<std::uint32_t>(SIGINT);
  end(interrupt ? Ending::Interrupt : Ending::Signal, "the server was asked to stop");
}

std::optional<Nanos> Server::next_deadline() const {
  std::optional<Nanos> next = session_.next_tick();
  const auto sooner = [&](Nanos at) {
    if (!next || at < *next) next = at;
  };
  if (const auto since = outbox_.waiting_since()) sooner(*since + kStallPatience);
  if (ending_) sooner(end_by_);
  return next;
}

void Server::look_at_clocks(Nanos now) {
  session_.tick(now);
  const auto since = outbox_.waiting_since();
  if (since && now >= *since + kStallPatience && !ending_) {
    log_.line("closed: the client has not read for 5 s");
    outbox_.give_up();
    end(Ending::Stalled, "the client does not read");
  }
  if (outbox_.broken()) end(Ending::ReaderGone, "the client closed stdout");
}

Result<void> Server::wait() {
  const short wanted = outbox_.empty() ? 0 : POLLOUT;
  // After the reader has gone its hang-up would wake us for ever.
  std::array<pollfd, 5> watched = {pollfd{reading() ? in_.get() : -1, POLLIN, 0},
                                   pollfd{outbox_.broken() ? -1 : outbox_.fd(), wanted, 0},
                                   pollfd{ending_ ? -1 : signal_fd_, POLLIN, 0},
                                   pollfd{done_.get(), POLLIN, 0},
                                   pollfd{sys::let_go_fd(), POLLIN, 0}};
  const auto deadline = next_deadline();
  const timespec timeout = to_timespec(deadline ? *deadline - monotonic_now() : Nanos(0));
  if (::ppoll(watched.data(), watched.size(), deadline ? &timeout : nullptr, nullptr) < 0) {
    if (errno == EINTR) return {};
    return Error::from_errno(errno, "waiting for the client");
  }
  if ((watched[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
    outbox_.give_up();
  } else if (watched[1].revents != 0) {
    outbox_.flush(monotonic_now());
  }
  if (watched[3].revents != 0) {
    clear_event(done_.get());
    session_.collect();
  }
  if (watched[4].revents != 0) sys::reap_let_go();
  if (watched[2].revents != 0) read_signal();
  // Lines that were read before the outbox was full come first.
  if (reading()) take_lines(monotonic_now());
  if (reading() && watched[0].revents != 0) read_input();
  look_at_clocks(monotonic_now());
  return {};
}

Result<Ending> Server::run(int (*code_for)(Ending)) {
  while (!ending_ || !session_.idle() || !outbox_.empty()) {
    if (ending_ && monotonic_now() >= end_by_) {
      if (session_.idle()) break;
      // The engine kills the box when our link to it ends; waiting for it would keep the client.
      log_.line("a run did not end in time; its box is killed as this process ends");
      ::_exit(code_for(*ending_));
    }
    PYBOX_TRY(wait());
  }
  return *ending_;
}

}  // namespace

Result<Stdio> take_stdio() {
  Stdio stdio{sys::Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
              sys::Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))};
  if (!stdio.in.is_open() || !stdio.out.is_open()) {
    return Error::from_errno(errno, "taking stdin and stdout");
  }
  const sys::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing.is_open() || ::dup2(nothing.get(), STDIN_FILENO) < 0 ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return Error::from_errno(errno, "putting something else in the place of stdin and stdout");
  }
  return stdio;
}

Result<Ending> serve(const Operator& allowed, Stdio stdio, int signal_fd, int (*code_for)(Ending)) {
  sys::Fd done = PYBOX_TRY(make_event());
  return Server(allowed, std::move(stdio), signal_fd, std::move(done)).run(code_for);
}

}  // namespace pybox::mcp
