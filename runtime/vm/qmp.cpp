#include "vm/qmp.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"

namespace pybox::vm {
namespace {

constexpr Nanos kMigrationTick = Millis(4);

Error ended() { return {ErrorKind::HostCannot, "QEMU ended"}; }

Result<void> send_all(int fd, std::string_view bytes, int pass_fd) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  while (!bytes.empty()) {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (pass_fd >= 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(header), &pass_fd, sizeof(int));
    }
    const ssize_t n = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) return ended();
    if (n < 0) return Error::from_errno(errno, "writing to QEMU");
    bytes.remove_prefix(static_cast<std::size_t>(n));
    pass_fd = -1;
  }
  return {};
}

/// Waits for input until `deadline`.
Result<void> await(int fd, Nanos deadline) {
  for (;;) {
    const Nanos left = deadline - monotonic_now();
    pollfd ready{fd, POLLIN, 0};
    const int wait = static_cast<int>(std::chrono::ceil<Millis>(std::max(Nanos{0}, left)).count());
    const int n = ::poll(&ready, 1, wait);
    if (n > 0) return {};
    if (n < 0 && errno != EINTR) return Error::from_errno(errno, "waiting for QEMU");
    if (n == 0) return Error(ErrorKind::HostCannot, "QEMU did not answer in time");
  }
}

}  // namespace

Result<void> LineSplitter::feed(std::string_view bytes) {
  pending_ += bytes;
  std::size_t start = 0;
  for (std::size_t end = 0; (end = pending_.find('\n', start)) != std::string::npos;
       start = end + 1) {
    std::string line = pending_.substr(start, end - start);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines_.push_back(std::move(line));
  }
  pending_.erase(0, start);
  if (pending_.size() > kMaxLine) return Error(ErrorKind::Protocol, "QEMU sent an endless line");
  return {};
}

std::optional<std::string> LineSplitter::next() {
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

Result<QmpLine> Qmp::read_line(Nanos deadline) {
  for (;;) {
    if (const std::optional<std::string> line = lines_.next()) return qmp_line(*line);
    PYBOX_TRY(await(socket_.get(), deadline));
    std::array<char, 4096> chunk;
    const ssize_t n = ::read(socket_.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (n < 0 && errno == ECONNRESET)) return ended();
    if (n < 0) return Error::from_errno(errno, "reading from QEMU");
    PYBOX_TRY(lines_.feed({chunk.data(), static_cast<std::size_t>(n)}));
  }
}

Result<void> Qmp::greet(Nanos patience) {
  const QmpLine line = PYBOX_TRY(read_line(monotonic_now() + patience));
  if (line.kind != QmpLine::Kind::Greeting) {
    return Error(ErrorKind::Protocol, "QEMU's control protocol did not begin with a greeting");
  }
  PYBOX_TRY(run("qmp_capabilities"));
  return {};
}

Result<QmpLine> Qmp::run(std::string_view name, std::string_view arguments, Nanos patience,
                         int pass_fd) {
  const Nanos deadline = monotonic_now() + patience;
  PYBOX_TRY(send_all(socket_.get(), qmp_command(name, arguments), pass_fd));
  for (;;) {
    QmpLine line = PYBOX_TRY_CONTEXT(read_line(deadline), std::string(name));
    if (line.kind == QmpLine::Kind::Event) continue;
    if (line.kind == QmpLine::Kind::Return) return line;
    return Error(ErrorKind::HostCannot, "QEMU refused " + std::string(name) + ": " + line.text);
  }
}

Result<void> Qmp::finish_migration(Nanos patience) {
  const Nanos deadline = monotonic_now() + patience;
  for (;;) {
    const QmpLine line = PYBOX_TRY(run("query-migrate"));
    if (line.status == "completed") return {};
    if (line.status == "failed" || line.status == "cancelled") {
      return Error(ErrorKind::HostCannot, "QEMU could not read or write the state");
    }
    if (monotonic_now() > deadline) {
      return Error(ErrorKind::HostCannot, "QEMU did not finish with the state in time");
    }
    // QEMU answers nothing meanwhile that we wait for; an event only makes this tick shorter.
    pollfd ready{socket_.get(), POLLIN, 0};
    ::poll(&ready, 1, static_cast<int>(std::chrono::duration_cast<Millis>(kMigrationTick).count()));
  }
}

bool Qmp::drain() {
  std::array<char, 4096> chunk;
  const ssize_t n = ::recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace pybox::vm
