#include "vm/supervisor.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <list>

#include "base/clock.hpp"
#include "link/order.hpp"
#include "receipt/pending.hpp"
#include "sys/file.hpp"
#include "vm/client.hpp"
#include "vm/end_signals.hpp"
#include "vm/lock.hpp"
#include "vm/plugged.hpp"
#include "vm/run_table.hpp"
#include "vm/session.hpp"
#include "vm/socket.hpp"
#include "vm/status.hpp"
#include "vm/warm_up.hpp"

namespace pybox::vm {
namespace {

using link::Frame;
using link::FrameType;

/// Bytes on their way to the guest beyond which clients are no longer read.
constexpr std::size_t kGuestBacklog = 32U << 20U;
constexpr std::size_t kMaxSessions = 256;
/// Entropy and the time are renewed before a run when they are older than this: the host may have
/// slept meanwhile.
constexpr Nanos kHelloAge = std::chrono::seconds(5);

class Supervisor {
 public:
  Supervisor(const Config& config, Launched launched, sys::Fd listener, sys::Fd signals)
      : config_(config),
        launched_(std::move(launched)),
        machine_(*launched_.machine),
        plugged_(config, machine_, launched_.images),
        listener_(std::move(listener)),
        signals_(std::move(signals)) {}

  void loop() {
    warm_up();
    while (!stopping_ && !machine_.broken()) wait();
    finish();
  }

 private:
  void warm_up();
  void release_held();
  void wait();
  void welcome();
  void serve_session(Session& session);
  void serve_frame(Session& session, Frame frame);
  void start_run(Session& session, Frame frame);
  void forward_run(std::uint64_t run, Frame frame);
  void fail_run(std::uint64_t run, const Error& error);
  void take_guest_frames();
  void take_guest_frame(Frame frame);
  void drop_closed_sessions();
  void keep_record(const Route& route, std::optional<std::string> report);
  void renew();
  void finish();
  /// nullptr when it is gone.
  Session* session_of(std::uint64_t id);
  Status status() const;

  const Config& config_;
  Launched launched_;
  Machine& machine_;
  PluggedImages plugged_;
  sys::Fd listener_;
  sys::Fd signals_;
  std::list<Session> sessions_;
  RunTable runs_;
  WarmUp warm_;
  std::uint64_t sessions_seen_ = 0;
  Nanos since_ = monotonic_now();
  Nanos greeted_ = monotonic_now();
  bool stopping_ = false;
};

Status Supervisor::status() const {
  Status status;
  status.running = true;
  status.pid = static_cast<std::uint64_t>(::getpid());
  status.qemu_pid = static_cast<std::uint64_t>(machine_.pid());
  status.accelerator = name_of(launched_.accelerator);
  status.memory = config_.memory;
  status.cpus = config_.cpus;
  status.uptime = monotonic_now() - since_;
  status.state = launched_.resumed ? "resumed" : "booted";
  status.images = plugged_.images();
  status.runs = static_cast<std::uint32_t>(runs_.size());
  status.notices = launched_.notices;
  return status;
}

Session* Supervisor::session_of(std::uint64_t id) {
  const auto at = std::find_if(sessions_.begin(), sessions_.end(), [id](const Session& each) {
    return each.id() == id && each.is_open();
  });
  return at == sessions_.end() ? nullptr : &*at;
}

void Supervisor::wait() {
  std::vector<pollfd> watched;
  watched.push_back({sessions_.size() < kMaxSessions ? listener_.get() : -1, POLLIN, 0});
  watched.push_back({signals_.get(), POLLIN, 0});
  machine_.watch(watched);
  const bool reading = machine_.waiting() < kGuestBacklog;
  for (const Session& session : sessions_) watched.push_back(session.watch(reading));
  const auto patience = warm_.patience(monotonic_now());
  const int timeout =
      patience ? static_cast<int>(std::chrono::ceil<Millis>(*patience).count()) : -1;
  if (::poll(watched.data(), watched.size(), timeout) < 0) return;
  if (watched[1].revents != 0) stopping_ = true;
  machine_.handle({watched.data() + 2, Machine::kWatched});
  take_guest_frames();
  std::size_t at = 2 + Machine::kWatched;
  for (Session& session : sessions_) {
    session.handle(watched[at++]);
    serve_session(session);
  }
  if (watched[0].revents != 0) welcome();
  drop_closed_sessions();
  // Plugging in an image reads ahead; those frames would not wake the next poll.
  take_guest_frames();
  release_held();
}

void Supervisor::warm_up() {
  const std::uint64_t run = runs_.fresh();
  warm_ = WarmUp(run, monotonic_now());
  machine_.send(warm_up_order(run, config_.base.image_id, config_.cpus));
}

void Supervisor::release_held() {
  warm_.look(monotonic_now());
  for (Frame& frame : warm_.release()) forward_run(frame.run, std::move(frame));
}

void Supervisor::welcome() {
  sys::Fd fd = accept_socket(listener_);
  if (fd.is_open()) sessions_.emplace_back(++sessions_seen_, std::move(fd));
}

void Supervisor::serve_session(Session& session) {
  while (auto frame = session.next_frame()) serve_frame(session, std::move(*frame));
}

void Supervisor::serve_frame(Session& session, Frame frame) {
  switch (frame.type) {
    case FrameType::AskStatus:
      return session.send({FrameType::Status, frame.run, status_to_json(status()), {}});
    case FrameType::StopVm: stopping_ = true; return;
    case FrameType::Run: return start_run(session, std::move(frame));
    case FrameType::Stdin:
    case FrameType::Stop:
      if (const auto run = runs_.run_of(session.id(), frame.run)) {
        frame.run = *run;
        forward_run(*run, std::move(frame));
      }
      return;
    default: return;  // not a client's to send
  }
}

void Supervisor::start_run(Session& session, Frame frame) {
  const Result<link::RunOrder> order = link::order_from(frame.head, frame.body);
  Route route{session.id(), frame.run, {}, frame.head};
  if (order) route.receipt_id = order->receipt_id;
  const auto run = runs_.add(std::move(route));
  // A client that uses a number twice has lost count; its first run is not disturbed.
  if (!run) return;
  if (!order) return fail_run(*run, order.error());
  const Result<void> image = plugged_.need(*run, order->image_id, runs_.fresh());
  if (!image) return fail_run(*run, image.error());
  frame.run = *run;
  forward_run(*run, std::move(frame));
}

/// Frames of a run whose image is only being plugged in wait for it, in order.
void Supervisor::forward_run(std::uint64_t run, Frame frame) {
  if (warm_.hold(frame) || plugged_.hold(run, frame)) return;
  if (frame.type == FrameType::Run) renew();
  machine_.send(frame);
}

void Supervisor::renew() {
  if (monotonic_now() - greeted_ < kHelloAge) return;
  greeted_ = monotonic_now();
  machine_.send(hello(false));
}

void Supervisor::fail_run(std::uint64_t run, const Error& error) {
  const auto route = runs_.take(run);
  Session* session = route && route->client ? session_of(*route->client) : nullptr;
  if (session == nullptr) return;
  session->fail(route->client_run, error);
}

void Supervisor::take_guest_frames() {
  while (auto frame = machine_.next_frame()) take_guest_frame(std::move(*frame));
}

void Supervisor::take_guest_frame(Frame frame) {
  if (warm_.answer(frame)) return;
  if (auto answered = plugged_.answer(frame)) {
    for (Frame& each : answered->frames) forward_run(each.run, std::move(each));
    for (const std::uint64_t run : answered->failed) {
      fail_run(run, Error(ErrorKind::HostCannot, "plugging in the image: " + answered->why));
    }
    return;
  }
  switch (frame.type) {
    case FrameType::Started:
    case FrameType::Output:
    case FrameType::StdinTaken:
    case FrameType::Report:
    case FrameType::Failed: break;
    default: return;
  }
  const Route* route = runs_.find(frame.run);
  if (route == nullptr) return;
  const bool ended = frame.type == FrameType::Report || frame.type == FrameType::Failed;
  Session* session = route->client ? session_of(*route->client) : nullptr;
  if (session == nullptr && frame.type == FrameType::Report) keep_record(*route, frame.head);
  const std::uint64_t run = frame.run;
  frame.run = route->client_run;
  if (session != nullptr) session->send(frame);
  if (ended) runs_.take(run);
}

void Supervisor::keep_record(const Route& route, std::optional<std::string> report) {
  PendingRun pending;
  pending.order_head = route.order_head;
  pending.report_head = std::move(report);
  pending.accelerator = name_of(launched_.accelerator);
  pending.vm = "shared";
  const Result<void> kept = keep_pending(config_.dirs, route.receipt_id, pending);
  if (!kept) ::dprintf(STDERR_FILENO, "pybox vm: %s\n", kept.error().message().c_str());
}

void Supervisor::drop_closed_sessions() {
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    if (at->is_open()) {
      ++at;
      continue;
    }
    for (const std::uint64_t run : runs_.drop_client(at->id())) {
      forward_run(run, {FrameType::ClientGone, run, "{}", {}});
    }
    at = sessions_.erase(at);
  }
}

void Supervisor::finish() {
  if (!stopping_) {
    ::dprintf(STDERR_FILENO, "pybox vm: the VM was lost: %s\n", machine_.broken()->c_str());
  }
  // No new client may come to a VM that ends.
  listener_.reset();
  remove_leftovers(config_.dirs);
  machine_.end();
  for (const Route& route : runs_.take_all()) {
    if (!route.client) keep_record(route, std::nullopt);
  }
  sessions_.clear();
}

}  // namespace

Result<void> supervise(const Config& config, const StartReport& report) {
  PYBOX_TRY(sys::ensure_private_dir(config.dirs.vm()));
  const std::optional<sys::Fd> life = PYBOX_TRY(take_life_lock(config.dirs));
  if (!life) return Error(ErrorKind::HostCannot, "another VM is already running");
  remove_leftovers(config.dirs);
  sys::Fd signals = PYBOX_TRY(take_end_signals());
  ConsoleLog console = PYBOX_TRY(ConsoleLog::open(console_path(config.dirs)));
  StartWatcher watcher = report.watcher;
  watcher.aborted = [&report, &signals] {
    pollfd asked{signals.get(), POLLIN, 0};
    return report.watcher.aborted() || ::poll(&asked, 1, 0) > 0;
  };
  Launched launched = PYBOX_TRY(launch(config, console, watcher));
  sys::Fd listener = PYBOX_TRY(listen_socket(socket_path(config.dirs)));
  Supervisor supervisor(config, std::move(launched), std::move(listener), std::move(signals));
  const std::string pid = std::to_string(::getpid()) + "\n";
  PYBOX_TRY(sys::replace_file(pid_path(config.dirs), pid));
  report.ready();
  supervisor.loop();
  return {};
}

}  // namespace pybox::vm
