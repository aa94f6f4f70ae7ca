#include "boxd/server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.hpp"
#include "base/crashpoint.hpp"
#include "box/cgroup.hpp"
#include "boxd/guest_counters.hpp"
#include "boxd/guest_init.hpp"
#include "boxd/run.hpp"
#include "boxd/vm_checks.hpp"
#include "link/control.hpp"
#include "link/frame.hpp"
#include "receipt/pending.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::boxd {
namespace {

using link::Frame;
using link::FrameType;

/// A guest's link with no host on the other side reads as ended at once; look again this often.
constexpr Nanos kLinkRetry = Millis(20);
/// Boxes that may exist at once; the engine queues, this is the last fence.
constexpr std::size_t kMaxRuns = 64;

BoxHost describe_host(const sys::CgroupHost& cgroup) {
  utsname names{};
  ::uname(&names);
  return {names.release, cgroup.version == sys::CgroupVersion::V2 ? "v2" : "v1", PYBOX_VERSION};
}

class Server {
 public:
  explicit Server(ServerPlan plan) : plan_(std::move(plan)), host_(describe_host(plan_.cgroup)) {}

  Result<void> open() {
    PYBOX_TRY(sys::set_nonblocking(plan_.link));
    if (is_guest()) around_ = check_vm();
    return {};
  }

  void loop() {
    while (!finished()) {
      wait();
      collect();
    }
    sweep_once();
  }

 private:
  bool is_guest() const { return !plan_.pending.has_value(); }
  bool finished() const { return stopping_ || (link_ended_ && !is_guest() && runs_.empty()); }

  /// Ends what an earlier boxd left behind, at every start; but not before the first program runs,
  /// which it would delay.
  void sweep_once() {
    if (!std::exchange(swept_, true)) box::sweep_cgroups(plan_.cgroup);
  }
  void wait();
  void read_link();
  void write_link();
  void serve_frame(Frame frame);
  void start_run(Frame frame);
  void greet(const Frame& frame);
  void attach_image(const Frame& frame);
  void collect();
  void report(std::uint64_t id, Run& run);
  void send(FrameType type, std::uint64_t run, std::string head, std::string body = {});
  void fail(std::uint64_t run, const Error& error);
  void end_link();
  Result<std::string> image_root(const link::RunOrder& order) const;

  ServerPlan plan_;
  BoxHost host_;
  std::vector<SealCheck> around_;
  link::FrameReader reader_;
  std::string outgoing_;
  std::map<std::uint64_t, std::unique_ptr<Run>> runs_;
  std::uint64_t boxes_made_ = 0;
  bool swept_ = false;
  bool link_ended_ = false;
  bool stopping_ = false;
};

void Server::send(FrameType type, std::uint64_t run, std::string head, std::string body) {
  if (link_ended_ && !is_guest()) return;
  outgoing_ += link::encode({type, run, std::move(head), std::move(body)});
  write_link();
}

void Server::fail(std::uint64_t run, const Error& error) {
  send(FrameType::Failed, run,
       link::failed_head({error.message(), error.hint(), error.kind() == ErrorKind::Refused}));
}

void Server::write_link() {
  const Result<void> written = sys::write_available(plan_.link.get(), outgoing_);
  // A guest's port with no host on the other side is no end: the supervisor outlives clients.
  if (!written && !is_guest()) end_link();
}

void Server::end_link() {
  link_ended_ = true;
  outgoing_.clear();
  if (is_guest()) return;
  for (auto& [id, run] : runs_) run->orphan(monotonic_now());
}

void Server::read_link() {
  static std::array<char, 256 * 1024> chunk;
  const ssize_t n = ::read(plan_.link.get(), chunk.data(), chunk.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return end_link();
  link_ended_ = false;
  reader_.feed({chunk.data(), static_cast<std::size_t>(n)});
  while (std::optional<Frame> frame = reader_.next()) serve_frame(std::move(*frame));
}

void Server::serve_frame(Frame frame) {
  const auto found = runs_.find(frame.run);
  Run* run = found == runs_.end() ? nullptr : found->second.get();
  switch (frame.type) {
    case FrameType::Hello: return greet(frame);
    case FrameType::Run: return start_run(std::move(frame));
    case FrameType::Stdin:
      if (run != nullptr) run->feed_stdin(frame.body);
      return;
    case FrameType::Stop:
      if (run != nullptr) run->cancel(monotonic_now());
      return;
    case FrameType::ClientGone:
      if (run != nullptr) run->orphan(monotonic_now());
      return;
    case FrameType::AttachImage: return attach_image(frame);
    case FrameType::AskGuest:
      if (is_guest()) send(FrameType::GuestIs, frame.run, link::guest_head(count_guest()));
      return;
    case FrameType::Shutdown:
      if (is_guest()) stopping_ = true;
      return;
    default: return;  // answers of our own kind, from a confused peer
  }
}

void Server::greet(const Frame& frame) {
  const Result<link::HelloHead> hello = link::hello_from(frame.head);
  if (!hello) return fail(frame.run, hello.error());
  if (is_guest()) {
    // A resumed guest has the random state of every other resume: no box before it is renewed.
    Result<void> renewed = guest::renew(frame.body, hello->wall_clock);
    if (!renewed) return fail(frame.run, renewed.error());
  }
  link::ReadyHead ready{host_.boxd_version, host_.kernel, host_.cgroup, {}};
  for (const auto& [id, root] : plan_.images) ready.images.push_back(id);
  send(FrameType::Ready, frame.run, link::ready_head(ready));
}

void Server::attach_image(const Frame& frame) {
  const Result<link::AttachHead> attach = link::attach_from(frame.head);
  if (!attach) return fail(frame.run, attach.error());
  if (!is_guest())
    return fail(frame.run, Error(ErrorKind::Protocol, "images are attached to a guest only"));
  Result<std::filesystem::path> root = guest::mount_image(attach->serial, attach->image_id);
  if (!root) return fail(frame.run, root.error());
  plan_.images[attach->image_id] = std::move(root).value();
  send(FrameType::ImageReady, frame.run, link::image_ready_head(attach->image_id));
}

Result<std::string> Server::image_root(const link::RunOrder& order) const {
  if (!is_guest()) {
    if (!order.rootfs.empty()) return order.rootfs;
    return Error(ErrorKind::Protocol, "the order does not say where the image is");
  }
  const auto known = plan_.images.find(order.image_id);
  if (known != plan_.images.end()) return known->second.string();
  return Error(ErrorKind::Refused, "this engine does not have the image " + order.image_id)
      .hint("restart the engine: `pybox vm stop`, `pybox vm start`");
}

void Server::start_run(Frame frame) {
  const Nanos received = monotonic_now();
  const std::uint64_t id = frame.run;
  Result<link::RunOrder> order = link::order_from(frame.head, frame.body);
  if (!order) return fail(id, order.error());
  PYBOX_CRASHPOINT_ARM(order, is_guest() ? "" : plan_.pending->home.string());
#ifdef PYBOX_CRASHPOINTS
  crash::take_words_out(order->leave_out);
#endif
  PYBOX_CRASHPOINT("order-came");
  if (runs_.contains(id)) return fail(id, Error(ErrorKind::Protocol, "this run already exists"));
  if (runs_.size() >= kMaxRuns) return fail(id, Error(ErrorKind::Io, "too many boxes at once"));
  const Result<std::string> root = image_root(*order);
  if (!root) return fail(id, root.error());
  Listener listener;
  if (order->stream_output) {
    listener.output = [this, id](int stream, std::string_view bytes) {
      send(FrameType::Output, id, link::stream_head(stream), std::string(bytes));
    };
  }
  listener.started = [this, id](const Seal& seal) {
    send(FrameType::Started, id, seal_to_json(seal));
    PYBOX_CRASHPOINT("start-told");
    sweep_once();
    PYBOX_CRASHPOINT("swept");
  };
  listener.stdin_taken = [this, id](std::uint64_t bytes) {
    send(FrameType::StdinTaken, id, link::stdin_taken_head(bytes));
  };
  const Workshop workshop{&plan_.cgroup, host_, *root, plan_.empty.string(), around_};
  runs_[id] =
      Run::start(std::move(order).value(), workshop, ++boxes_made_, received, std::move(listener));
}

void Server::wait() {
  std::vector<pollfd> watched;
  std::vector<std::pair<Run*, std::size_t>> spans;
  const short link_events = static_cast<short>(POLLIN | (outgoing_.empty() ? 0 : POLLOUT));
  watched.push_back({link_ended_ ? -1 : plan_.link.get(), link_events, 0});
  std::optional<Nanos> next;
  if (link_ended_ && is_guest()) next = monotonic_now() + kLinkRetry;
  for (auto& [id, run] : runs_) {
    const std::size_t before = watched.size();
    run->watch(watched);
    spans.emplace_back(run.get(), watched.size() - before);
    if (const auto tick = run->next_tick()) next = next ? std::min(*next, *tick) : *tick;
  }
  timespec timeout{};
  if (next) timeout = to_timespec(*next - monotonic_now());
  const bool some_done =
      std::any_of(runs_.begin(), runs_.end(), [](const auto& each) { return each.second->done(); });
  if (some_done) timeout = {};
  if (::ppoll(watched.data(), watched.size(), next || some_done ? &timeout : nullptr, nullptr) < 0)
    return;
  const Nanos now = monotonic_now();
  std::size_t at = 1;
  for (const auto& [run, count] : spans) {
    run->handle(watched.data() + at, count, now);
    at += count;
    if (!run->done()) run->tick(now);
  }
  // Last: frames may add runs.
  if ((watched[0].revents & POLLOUT) != 0) write_link();
  if ((watched[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 || (link_ended_ && is_guest()))
    read_link();
}

void Server::collect() {
#ifdef PYBOX_CRASHPOINTS
  crash::tell();
#endif
  for (auto at = runs_.begin(); at != runs_.end();) {
    if (!at->second->done()) {
      ++at;
      continue;
    }
    report(at->first, *at->second);
    at = runs_.erase(at);
  }
}

void Server::report(std::uint64_t id, Run& run) {
  const RunReport report = run.take_report();
  std::string body;
  for (const ReturnedFile& file : report.files.returned) body += file.content;
  if (!link_ended_ || is_guest()) {
    const SealIs seal = run.has_started() ? SealIs::ToldBefore : SealIs::Inside;
    send(FrameType::Report, id, report_to_json(report, seal), std::move(body));
    PYBOX_CRASHPOINT("reported");
    return;
  }
  PendingRun pending;
  pending.order_head = link::order_head(run.order());
  pending.report_head = report_to_json(report);
  // Nobody is left to tell; the record is the only word about this run, and a full disk loses it.
  (void)keep_pending(*plan_.pending, run.order().receipt_id, pending).has_value();
  PYBOX_CRASHPOINT("record-kept");
}

}  // namespace

Result<void> serve(ServerPlan plan) {
  PYBOX_CRASHPOINT_ROLE("boxd");
  Server server(std::move(plan));
  PYBOX_TRY(server.open());
  server.loop();
  return {};
}

}  // namespace pybox::boxd
