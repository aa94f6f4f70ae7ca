#include "vm/client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.hpp"
#include "link/frame.hpp"
#include "vm/lock.hpp"
#include "vm/socket.hpp"

namespace pybox::vm {
namespace {

/// The supervisor gives QEMU 2 s to quit before it kills it.
constexpr Nanos kStopPatience = std::chrono::seconds(5);

Error not_running() {
  return Error(ErrorKind::NotRunning, "the VM is not running")
      .hint("start it with `pybox vm start`");
}

}  // namespace

Result<sys::Fd> connect(const sys::StateDirs& dirs) {
  auto connection = connect_socket(socket_path(dirs));
  if (connection) return connection;
  const int code = connection.error().errno_code();
  if (code == ENOENT || code == ECONNREFUSED || code == ENOTDIR) return not_running();
  return std::move(connection).error();
}

Result<Status> ask_status(const sys::Fd& connection, AskGuest guest, Nanos patience) {
  const std::string head = link::ask_status_head(guest == AskGuest::Yes);
  const auto asked =
      sys::write_all(connection.get(), link::encode({link::FrameType::AskStatus, 0, head, {}}));
  // It ended while we connected: the same as an end before the answer.
  if (!asked && asked.error().errno_code() == EPIPE) return not_running();
  if (!asked) return asked.error();
  const Nanos deadline = monotonic_now() + patience;
  link::FrameReader reader;
  std::array<char, 4096> chunk;
  for (;;) {
    while (const auto frame = reader.next()) {
      if (frame->type == link::FrameType::Status) return status_from_json(frame->head);
    }
    const Nanos left = deadline - monotonic_now();
    pollfd ready{connection.get(), POLLIN, 0};
    const auto wait = std::max<std::int64_t>(0, std::chrono::ceil<Millis>(left).count());
    const int count = ::poll(&ready, 1, static_cast<int>(wait));
    if (count == 0) {
      return Error(ErrorKind::HostCannot, "the VM does not answer").hint("`pybox vm stop` ends it");
    }
    if (count < 0 && errno == EINTR) continue;
    const ssize_t n = ::read(connection.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return not_running();
    reader.feed({chunk.data(), static_cast<std::size_t>(n)});
  }
}

Result<Status> status_of(const sys::StateDirs& dirs) {
  auto connection = connect(dirs);
  if (connection) {
    auto status = ask_status(*connection, AskGuest::Yes);
    if (status || status.error().kind() != ErrorKind::NotRunning) return status;
  } else if (connection.error().kind() != ErrorKind::NotRunning) {
    return std::move(connection).error();
  }
  return Status{};
}

Result<Stopped> stop(const sys::StateDirs& dirs) {
  Stopped outcome = Stopped::WasNotRunning;
  if (PYBOX_TRY(life_lock_owner(dirs))) {
    outcome = Stopped::Ended;
    const auto connection = connect(dirs);
    if (connection) {
      (void)sys::write_all(connection->get(), link::encode({link::FrameType::StopVm, 0, "{}", {}}))
          .has_value();
    }
    // Without a socket it is only just starting, or ending; a start nobody waits for ends by
    // itself.
    if (!PYBOX_TRY(wait_for_release(dirs, kStopPatience))) {
      outcome = Stopped::Killed;
      PYBOX_TRY(kill_life_lock_owner(dirs));
      if (!PYBOX_TRY(wait_for_release(dirs, kStopPatience))) {
        return Error(ErrorKind::HostCannot, "the VM's supervisor cannot be ended");
      }
    }
  }
  // A start may have begun meanwhile; its socket is not ours to remove.
  if (!PYBOX_TRY(life_lock_owner(dirs))) remove_leftovers(dirs);
  return outcome;
}

void remove_leftovers(const sys::StateDirs& dirs) {
  std::error_code error;
  std::filesystem::remove(socket_path(dirs), error);
  std::filesystem::remove(pid_path(dirs), error);
}

}  // namespace pybox::vm
