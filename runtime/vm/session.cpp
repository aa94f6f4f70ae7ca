#include "vm/session.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "link/control.hpp"
#include "sys/fd.hpp"

namespace pybox::vm {
namespace {

/// Two reports of the largest size: a client that lets more pile up does not read at all.
constexpr std::size_t kMaxOutgoing = 2 * (link::kMaxBody.count + link::kMaxHead.count);

}  // namespace

pollfd Session::watch(bool reading) const {
  const int events = (reading ? POLLIN : 0) | (outgoing_.empty() ? 0 : POLLOUT);
  return {fd_.get(), static_cast<short>(events), 0};
}

void Session::handle(const pollfd& watched) {
  if ((watched.revents & POLLOUT) != 0) write_some();
  if ((watched.revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_some();
}

void Session::read_some() {
  static std::array<char, 262144> chunk;
  if (!fd_.is_open()) return;
  const ssize_t n = ::read(fd_.get(), chunk.data(), chunk.size());
  if (n > 0) return reader_.feed({chunk.data(), static_cast<std::size_t>(n)});
  if (n == 0 || (errno != EAGAIN && errno != EINTR)) fd_.reset();
}

void Session::write_some() {
  if (fd_.is_open() && !sys::write_available(fd_.get(), outgoing_)) fd_.reset();
}

void Session::send(const link::Frame& frame) {
  if (!fd_.is_open()) return;
  outgoing_ += link::encode(frame);
  write_some();
  if (outgoing_.size() > kMaxOutgoing) fd_.reset();
}

void Session::fail(std::uint64_t client_run, const Error& error) {
  const bool refused = error.kind() == ErrorKind::Refused;
  std::string head = link::failed_head({error.message(), error.hint(), refused});
  send({link::FrameType::Failed, client_run, std::move(head), {}});
}

}  // namespace pybox::vm
