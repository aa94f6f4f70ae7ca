#include "campaign/run/driver.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/clock.hpp"
#include "sys/fd.hpp"
#include "sys/process.hpp"

namespace pybox::campaign {
namespace {

/// A file in memory with the text, read from its start.
Result<sys::Fd> file_with(std::string_view text) {
  sys::Fd file(::memfd_create("ask", MFD_CLOEXEC));
  if (!file.is_open()) return Error::from_errno(errno, "making a driver's stdin");
  PYBOX_TRY(sys::write_all(file.get(), text));
  if (::lseek(file.get(), 0, SEEK_SET) != 0)
    return Error::from_errno(errno, "rewinding a driver's stdin");
  return file;
}

struct Stream {
  sys::Fd fd;
  std::string* kept = nullptr;
};

/// Reads once; a stream at its end is closed. False when there was nothing to read now.
bool read_some(Stream& stream) {
  std::array<char, 65536> chunk;
  const ssize_t n = ::read(stream.fd.get(), chunk.data(), chunk.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (n <= 0) {
    stream.fd.reset();
    return false;
  }
  const std::size_t room = kDriverOutputKept - std::min(kDriverOutputKept, stream.kept->size());
  stream.kept->append(chunk.data(), std::min(room, static_cast<std::size_t>(n)));
  return true;
}

/// What ended the wait for a driver.
enum class Woken { Ended, TimedOut, Cancelled };

Woken wait_for_end(const sys::Child& child, std::array<Stream, 2>& streams, Nanos deadline,
                   int cancel_fd) {
  for (;;) {
    std::array<pollfd, 4> watched = {
        pollfd{streams[0].fd.get(), POLLIN, 0}, pollfd{streams[1].fd.get(), POLLIN, 0},
        pollfd{child.pidfd(), POLLIN, 0}, pollfd{cancel_fd, POLLIN, 0}};
    const Nanos left = deadline - monotonic_now();
    if (left <= Nanos{0}) return Woken::TimedOut;
    const timespec patience = to_timespec(left);
    if (::ppoll(watched.data(), watched.size(), &patience, nullptr) < 0) continue;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (watched[i].revents != 0) read_some(streams[i]);
    }
    if (watched[3].revents != 0) return Woken::Cancelled;
    if (watched[2].revents != 0) return Woken::Ended;
  }
}

std::string trouble_of(Woken woken, const sys::WaitStatus& status, Nanos timeout) {
  if (woken == Woken::Cancelled) return "cancelled";
  if (woken == Woken::TimedOut)
    return "the driver did not end within " + std::to_string(timeout / std::chrono::seconds(1)) +
           " s";
  if (status.by_signal) return "the driver died of signal " + std::to_string(status.code);
  if (status.code != 0) return "the driver ended with exit code " + std::to_string(status.code);
  return {};
}

}  // namespace

std::filesystem::path pybox_of(const std::filesystem::path& programs) {
  std::error_code ignored;
  std::filesystem::path beside = programs / "pybox";
  if (std::filesystem::exists(beside, ignored)) return beside;
  return programs.parent_path().parent_path() / "bin" / "pybox";
}

Result<DriverRun> run_driver(const DriverOrder& order) {
  sys::Fd ask = PYBOX_TRY(file_with(order.ask));
  sys::Pipe out = PYBOX_TRY(sys::make_pipe());
  sys::Pipe err = PYBOX_TRY(sys::make_pipe());
  PYBOX_TRY(sys::set_nonblocking(out.read));
  PYBOX_TRY(sys::set_nonblocking(err.read));
  sys::SpawnPlan plan;
  plan.program = "python3";
  plan.args = {"-B", order.name};
  plan.folder = order.folder;
  plan.environment = sys::tool_environment();
  std::erase_if(plan.environment,
                [](const std::string& each) { return each.starts_with("HOME="); });
  plan.environment.push_back("HOME=" + order.home.string());
  plan.fds = {{ask.get(), 0}, {out.write.get(), 1}, {err.write.get(), 2}};
  plan.new_session = true;

  const Nanos began = monotonic_now();
  sys::Child child = PYBOX_TRY(sys::spawn(plan));
  out.write.reset();
  err.write.reset();
  DriverRun run;
  std::array<Stream, 2> streams = {Stream{std::move(out.read), &run.out},
                                   Stream{std::move(err.read), &run.err}};
  const Woken woken = wait_for_end(child, streams, began + order.timeout, order.cancel_fd);
  // The leader is not reaped yet, so the number of its group is still its own.
  ::kill(-child.pid(), SIGKILL);
  const auto status = PYBOX_TRY(child.wait(std::chrono::seconds(10)));
  if (!status) return Error(ErrorKind::HostCannot, "a killed driver did not end");
  for (Stream& stream : streams) {
    while (stream.fd.is_open() && read_some(stream)) {
    }
  }
  run.duration = monotonic_now() - began;
  run.cancelled = woken == Woken::Cancelled;
  run.trouble = trouble_of(woken, *status, order.timeout);
  return run;
}

}  // namespace pybox::campaign
