#include "campaign/bench/timed.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "sys/fd.hpp"

namespace pybox::campaign {
namespace {

constexpr std::size_t kKept = 65536;
constexpr Nanos kStopPatience = std::chrono::seconds(15);

/// False at its end, and when there is nothing to read now.
bool read_some(sys::Fd& from, std::string& into) {
  std::array<char, 65536> chunk;
  const ssize_t n = ::read(from.get(), chunk.data(), chunk.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (n <= 0) {
    from.reset();
    return false;
  }
  const std::size_t room = kKept - std::min(kKept, into.size());
  into.append(chunk.data(), std::min(room, static_cast<std::size_t>(n)));
  return true;
}

/// Waits for the end of one process, telling it to stop when it must.
class Wait {
 public:
  Wait(const TimedOrder& order, sys::Child& child, std::array<sys::Fd, 2>& streams, TimedRun& run)
      : order_(order), child_(child), streams_(streams), run_(run) {}

  Result<void> for_end() {
    Nanos deadline = monotonic_now() + order_.patience;
    for (;;) {
      const bool stopping = run_.timed_out || run_.cancelled;
      std::array<pollfd, 4> watched = {pollfd{child_.pidfd(), POLLIN, 0},
                                       pollfd{streams_[0].get(), POLLIN, 0},
                                       pollfd{streams_[1].get(), POLLIN, 0},
                                       pollfd{stopping ? -1 : order_.cancel_fd, POLLIN, 0}};
      const timespec patience = to_timespec(deadline - monotonic_now());
      const int ready = ::ppoll(watched.data(), watched.size(), &patience, nullptr);
      if (ready < 0 && errno != EINTR) return Error::from_errno(errno, "waiting for a timed run");
      if (ready < 0) continue;
      if (watched[0].revents != 0) return {};
      if (watched[1].revents != 0) read_some(streams_[0], run_.out);
      if (watched[2].revents != 0) read_some(streams_[1], run_.err);
      const bool cancelled = watched[3].revents != 0;
      if (ready > 0 && !cancelled) continue;
      if (stopping) return Error(ErrorKind::HostCannot, "a timed run did not end when asked to");
      (cancelled ? run_.cancelled : run_.timed_out) = true;
      PYBOX_TRY(child_.signal(order_.stop_signal));
      deadline = monotonic_now() + kStopPatience;
    }
  }

 private:
  const TimedOrder& order_;
  sys::Child& child_;
  std::array<sys::Fd, 2>& streams_;
  TimedRun& run_;
};

}  // namespace

Result<TimedRun> time_process(const TimedOrder& order) {
  sys::Pipe out = PYBOX_TRY(sys::make_pipe());
  sys::Pipe err = PYBOX_TRY(sys::make_pipe());
  PYBOX_TRY(sys::set_nonblocking(out.read));
  PYBOX_TRY(sys::set_nonblocking(err.read));
  TimedRun run;
  const Nanos began = monotonic_now();
  sys::Child child = PYBOX_TRY(order.start(out.write.get(), err.write.get()));
  out.write.reset();
  err.write.reset();
  std::array<sys::Fd, 2> streams = {std::move(out.read), std::move(err.read)};
  PYBOX_TRY(Wait(order, child, streams, run).for_end());
  const auto status = PYBOX_TRY(child.wait(Nanos{0}));
  run.took = monotonic_now() - began;
  if (!status) return Error(ErrorKind::Internal, "an ended process could not be reaped");
  run.status = *status;
  while (streams[0].is_open() && read_some(streams[0], run.out)) {
  }
  while (streams[1].is_open() && read_some(streams[1], run.err)) {
  }
  return run;
}

std::string trouble_of(const TimedRun& run) {
  constexpr std::size_t kShown = 600;
  std::string text = run.cancelled   ? "it was cancelled"
                     : run.timed_out ? "it did not end in time"
                     : run.status.by_signal
                         ? "it died of signal " + std::to_string(run.status.code)
                         : "it ended with exit code " + std::to_string(run.status.code);
  std::string_view err = run.err;
  while (err.ends_with('\n')) err.remove_suffix(1);
  if (!err.empty()) text += ": " + visible(err.substr(err.size() - std::min(kShown, err.size())));
  return text;
}

}  // namespace pybox::campaign
