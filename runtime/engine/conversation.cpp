#include "engine/conversation.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.hpp"
#include "base/crashpoint.hpp"
#include "base/text.hpp"
#include "files/arrival.hpp"
#include "link/control.hpp"
#include "link/frame.hpp"
#include "sys/fd.hpp"

namespace pybox::engine {
namespace {

using link::Frame;
using link::FrameType;

constexpr std::uint64_t kRun = 1;
/// From the order to the program's start. boxd gives up on a box after 20 s and says so.
constexpr Nanos kStartPatience = std::chrono::seconds(30);
/// Once the host's own clock has asked boxd to stop: how long the report may still take.
constexpr Nanos kStopPatience = std::chrono::seconds(8);

std::string order_words(const link::RunOrder& order) {
#ifdef PYBOX_CRASHPOINTS
  link::RunOrder armed = order;
  if (std::string word = crash::word_for_order(); !word.empty())
    armed.leave_out.push_back(std::move(word));
  return link::order_head(armed);
#else
  return link::order_head(order);
#endif
}

class Conversation {
 public:
  Conversation(int fd, const link::RunOrder& order, const Console& console)
      : fd_(fd), order_(order), console_(console), stdin_open_(order.has_stdin) {}

  Result<RunReport> run();

 private:
  void queue(FrameType type, std::string head, std::string body = {}) {
    outgoing_ += link::encode({type, kRun, std::move(head), std::move(body)});
  }
  Result<void> exchange(Nanos timeout);
  Result<void> write_link();
  Result<void> read_link();
  Result<void> take(Frame frame);
  Result<void> take_report(const Frame& frame);
  void read_stdin();
  void stop();
  RunReport lost(std::string why) const;

  int fd_;
  const link::RunOrder& order_;
  const Console& console_;
  link::FrameReader reader_;
  std::string outgoing_;
  std::uint64_t stdin_in_flight_ = 0;
  bool stdin_open_;
  bool cancelled_ = false;
  bool link_ended_ = false;
  std::optional<Nanos> stopped_at_;
  std::optional<Nanos> started_at_;
  std::optional<Seal> seal_;
  std::optional<RunReport> report_;
};

RunReport Conversation::lost(std::string why) const {
  RunReport report;
  report.outcome.observation = Observation::BoxLost;
  report.outcome.evidence.push_back(why);
  report.cleanup = {Cleanup::Status::Unconfirmed, why};
  if (seal_) report.seal = *seal_;
  return report;
}

void Conversation::stop() {
  if (stopped_at_) return;
  stopped_at_ = monotonic_now();
  queue(FrameType::Stop, link::stop_head("cancel"));
}

Result<void> Conversation::write_link() {
  Result<void> written = sys::write_available(fd_, outgoing_);
  if (written) return written;
  const int code = written.error().errno_code();
  if (code != EPIPE && code != ECONNRESET) {
    return std::move(written).error().context("talking to the engine");
  }
  // What boxd said before it went is still to be read.
  outgoing_.clear();
  return {};
}

Result<void> Conversation::read_link() {
  std::array<char, 65536> chunk;
  const ssize_t n = ::read(fd_, chunk.data(), chunk.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (n <= 0) {
    link_ended_ = true;
    return {};
  }
  reader_.feed({chunk.data(), static_cast<std::size_t>(n)});
  while (std::optional<Frame> frame = reader_.next()) PYBOX_TRY(take(std::move(*frame)));
  return {};
}

Result<void> Conversation::take(Frame frame) {
  if (frame.type == FrameType::Failed && (frame.run == kRun || frame.run == 0)) {
    const link::FailedHead failed = PYBOX_TRY(link::failed_from(frame.head));
    return Error(failed.refused ? ErrorKind::Refused : ErrorKind::HostCannot, failed.message)
        .hint(failed.hint);
  }
  if (frame.run != kRun) return {};
  switch (frame.type) {
    case FrameType::Started:
      started_at_ = monotonic_now();
      seal_ = PYBOX_TRY(seal_from_json(frame.head));
      PYBOX_CRASHPOINT("program-started");
      return {};
    case FrameType::Output: {
      PYBOX_CRASHPOINT("first-output");
      const int stream = PYBOX_TRY(link::stream_from(frame.head));
      if (console_.output) console_.output(stream, frame.body);
      return {};
    }
    case FrameType::StdinTaken:
      stdin_in_flight_ -= std::min(stdin_in_flight_, PYBOX_TRY(link::stdin_taken_from(frame.head)));
      return {};
    case FrameType::Report: return take_report(frame);
    default: return {};
  }
}

Result<void> Conversation::take_report(const Frame& frame) {
  PYBOX_CRASHPOINT("report-came");
  RunReport report = PYBOX_TRY(report_from_json(frame.head, seal_));
  if (!order_.request.return_files && report.files.status != Files::Status::None) {
    return Error(ErrorKind::Protocol, "the engine sent files that were not asked for");
  }
  // A control arm shows what this count stops; nobody sees its files.
  const std::vector<std::string>& cuts = order_.leave_out;
  if (std::find(cuts.begin(), cuts.end(), "sup.filecap") == cuts.end())
    PYBOX_TRY(files::take_contents(report.files, frame.body));
  report_ = std::move(report);
  return {};
}

void Conversation::read_stdin() {
  std::array<char, 65536> chunk;
  const ssize_t n = ::read(console_.stdin_fd, chunk.data(), chunk.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    stdin_open_ = false;
    queue(FrameType::Stdin, "{}");
    return;
  }
  stdin_in_flight_ += static_cast<std::uint64_t>(n);
  queue(FrameType::Stdin, "{}", std::string(chunk.data(), static_cast<std::size_t>(n)));
}

Result<void> Conversation::exchange(Nanos timeout) {
  const bool want_stdin =
      stdin_open_ && console_.stdin_fd >= 0 && stdin_in_flight_ < link::kStdinWindow.count;
  std::array<pollfd, 3> watched = {
      pollfd{fd_, static_cast<short>(POLLIN | (outgoing_.empty() ? 0 : POLLOUT)), 0},
      pollfd{want_stdin ? console_.stdin_fd : -1, POLLIN, 0},
      pollfd{cancelled_ ? -1 : console_.cancel_fd, POLLIN, 0}};
  const timespec wait = to_timespec(timeout);
  if (::ppoll(watched.data(), watched.size(), &wait, nullptr) < 0) {
    if (errno == EINTR) return {};
    return Error::from_errno(errno, "waiting for the engine");
  }
  if (watched[2].revents != 0) {
    cancelled_ = true;
    stop();
  }
  if (watched[1].revents != 0) read_stdin();
  if (watched[0].revents != 0) PYBOX_TRY(read_link());
  return write_link();
}

Result<RunReport> Conversation::run() {
  std::string head = order_words(order_);
  if (head.size() > link::kMaxHead.count) {
    return Error(ErrorKind::Refused, "the program's arguments and the names of its inputs are " +
                                         human_size(Bytes{head.size()}) + " long in all; at most " +
                                         human_size(link::kMaxHead) + " are handed in")
        .hint("hand long arguments over in a file: `--input`, or `--stdin`");
  }
  queue(FrameType::Run, std::move(head), link::order_body(order_));
  if (order_.has_stdin && console_.stdin_fd < 0) {
    stdin_open_ = false;
    queue(FrameType::Stdin, "{}");
  }
  PYBOX_CRASHPOINT("order-made");
  PYBOX_TRY(write_link());
  PYBOX_CRASHPOINT("order-sent");
  const Nanos sent = monotonic_now();
  while (!report_) {
    if (link_ended_) return lost("the engine went away before the run ended");
    const Nanos guard = stopped_at_ ? *stopped_at_ + kStopPatience
                        : started_at_
                            ? *started_at_ + order_.request.timeout + ceiling::kHostGuardGrace
                            : sent + kStartPatience;
    const Nanos left = guard - monotonic_now();
    if (left <= Nanos{0}) {
      if (stopped_at_ || !started_at_) return lost("the engine did not answer in time");
      stop();
    }
    Result<void> exchanged = exchange(std::max(Nanos{0}, left));
    if (exchanged) continue;
    // Once the program runs, an error cannot mean any more that no box was made.
    if (!started_at_) return std::move(exchanged).error();
    return lost("the engine's answer cannot be used: " + exchanged.error().message());
  }
  return std::move(*report_);
}

}  // namespace

Result<RunReport> converse(int fd, const link::RunOrder& order, const Console& console) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    return Error::from_errno(errno, "preparing the link to the engine");
  }
  return Conversation(fd, order, console).run();
}

}  // namespace pybox::engine
