#include "vm/serving.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/crashpoint.hpp"
#include "link/order.hpp"
#include "receipt/pending.hpp"
#include "vm/client.hpp"
#include "vm/socket.hpp"

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
/// How long a status waits for the guest's part; it is given without it then.
constexpr Nanos kGuestPatience = std::chrono::seconds(2);

Route route_of(std::uint64_t session, const Frame& frame, const Result<link::RunOrder>& order) {
  Route route{session, frame.run, {}, frame.head};
  if (order) route.receipt_id = order->receipt_id;
  return route;
}

}  // namespace

Status Serving::status() const {
  Status status;
  status.running = true;
  status.pid = static_cast<std::uint64_t>(::getpid());
  // Zero while there is none: it ended and another is being started.
  const Machine& machine = *launched_.machine;
  status.qemu_pid = machine.broken() ? 0 : static_cast<std::uint64_t>(machine.pid());
  status.accelerator = name_of(launched_.accelerator);
  status.memory = config_.memory;
  status.cpus = config_.cpus;
  status.uptime = monotonic_now() - since_;
  status.state = launched_.resumed ? "resumed" : "booted";
  status.images = plugged_->images();
  status.runs = static_cast<std::uint32_t>(runs_.size());
  status.notices = launched_.notices;
  return status;
}

Session* Serving::session_of(std::uint64_t id) {
  const auto at = std::find_if(sessions_.begin(), sessions_.end(), [id](const Session& each) {
    return each.id() == id && each.is_open();
  });
  return at == sessions_.end() ? nullptr : &*at;
}

void Serving::loop() {
  do {
    warm_up();
    while (!stopping_ && !machine().broken()) wait();
  } while (start_again());
  finish();
}

void Serving::wait() {
  serve(poll_patience(), &machine());
  // Plugging in an image reads ahead; those frames would not wake the next poll.
  take_guest_frames();
  release_held();
}

void Serving::serve(int timeout, Machine* machine) {
  std::vector<pollfd> watched;
  watched.push_back({sessions_.size() < kMaxSessions ? listener_.get() : -1, POLLIN, 0});
  watched.push_back({signals_.get(), POLLIN, 0});
  const bool reading = machine == nullptr || machine->waiting() < kGuestBacklog;
  for (const Session& session : sessions_) watched.push_back(session.watch(reading));
  const std::size_t clients = watched.size();
  if (machine != nullptr) machine->watch(watched);
  if (::poll(watched.data(), watched.size(), timeout) < 0) return;
  if (watched[1].revents != 0) stopping_ = true;
  if (machine != nullptr) {
    machine->handle({watched.data() + clients, Machine::kWatched});
    take_guest_frames();
  }
  std::size_t at = 2;
  for (Session& session : sessions_) {
    session.handle(watched[at++]);
    serve_session(session);
  }
  if (watched[0].revents != 0) welcome();
  drop_closed_sessions();
}

void Serving::welcome() {
  sys::Fd fd = accept_socket(listener_);
  if (fd.is_open()) sessions_.emplace_back(++sessions_seen_, std::move(fd));
}

void Serving::serve_session(Session& session) {
  while (auto frame = session.next_frame()) serve_frame(session, std::move(*frame));
}

void Serving::serve_frame(Session& session, Frame frame) {
  switch (frame.type) {
    case FrameType::AskStatus: return answer_status(session, frame);
    case FrameType::StopVm: stopping_ = true; return;
    case FrameType::Run:
    case FrameType::Stdin:
    case FrameType::Stop:
      if (!warm_.hold(session.id(), frame)) serve_run_frame(session.id(), std::move(frame));
      return;
    default: return;  // not a client's to send
  }
}

void Serving::serve_run_frame(std::uint64_t session, Frame frame) {
  if (frame.type == FrameType::Run) return start_run(session, std::move(frame));
  if (frame.type == FrameType::ClientGone) {
    for (const std::uint64_t run : runs_.drop_client(session)) {
      forward_run(run, {FrameType::ClientGone, run, "{}", {}});
    }
    return;
  }
  if (const auto run = runs_.run_of(session, frame.run)) {
    frame.run = *run;
    forward_run(*run, std::move(frame));
  }
}

void Serving::answer_status(Session& session, const Frame& frame) {
  const Result<bool> guest = link::ask_status_from(frame.head);
  const Question question{session.id(), frame.run, monotonic_now() + kGuestPatience};
  if (!guest || !*guest || machine().broken()) return tell_status(question, std::nullopt);
  const std::uint64_t number = runs_.fresh();
  questions_.ask(number, question);
  machine().send({FrameType::AskGuest, number, "{}", {}});
}

void Serving::tell_status(const Question& question, std::optional<link::GuestCounters> guest) {
  Session* session = session_of(question.session);
  if (session == nullptr) return;
  Status answer = status();
  answer.guest = guest;
  session->send({FrameType::Status, question.client_run, status_to_json(answer), {}});
}

/// Answers those whose time is up without the guest's part; how long until the next one's is.
std::optional<Nanos> Serving::give_up_questions() {
  const Nanos now = monotonic_now();
  for (const Question& question : questions_.take_expired(now)) {
    tell_status(question, std::nullopt);
  }
  const auto next = questions_.next_deadline();
  return next ? std::optional(*next - now) : std::nullopt;
}

/// Milliseconds until something is due that no descriptor tells; -1: nothing is.
int Serving::poll_patience() {
  std::optional<Nanos> patience = give_up_questions();
  if (const auto warming = warm_.patience(monotonic_now())) {
    patience = std::min(patience.value_or(*warming), *warming);
  }
  return patience ? static_cast<int>(std::chrono::ceil<Millis>(*patience).count()) : -1;
}

void Serving::start_run(std::uint64_t session, Frame frame) {
  const Result<link::RunOrder> order = link::order_from(frame.head, frame.body);
  PYBOX_CRASHPOINT_ARM(order, config_.dirs.home);
  PYBOX_CRASHPOINT("order-came");
  const auto run = runs_.add(route_of(session, frame, order));
  // A client that uses a number twice has lost count; its first run is not disturbed.
  if (!run) return;
  if (!order) return fail_run(*run, order.error());
  const Result<void> image = plugged_->need(*run, order->image_id, runs_.fresh());
  if (!image) return fail_run(*run, image.error());
  frame.run = *run;
  forward_run(*run, std::move(frame));
}

/// Frames of a run whose image is only being plugged in wait for it, in order.
void Serving::forward_run(std::uint64_t run, Frame frame) {
  if (plugged_->hold(run, frame)) return;
  if (frame.type == FrameType::Run) renew();
  machine().send(frame);
  if (frame.type == FrameType::Run) PYBOX_CRASHPOINT("order-forwarded");
}

void Serving::renew() {
  if (monotonic_now() - greeted_ < kHelloAge) return;
  greeted_ = monotonic_now();
  machine().send(hello(false));
}

void Serving::fail_run(std::uint64_t run, const Error& error) {
  const auto route = runs_.take(run);
  Session* session = route && route->client ? session_of(*route->client) : nullptr;
  if (session == nullptr) return;
  session->fail(route->client_run, error);
}

void Serving::take_guest_frames() {
  while (auto frame = machine().next_frame()) take_guest_frame(std::move(*frame));
}

void Serving::take_guest_frame(Frame frame) {
  if (warm_.answer(frame)) return;
  if (auto answered = plugged_->answer(frame)) {
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
    case FrameType::GuestIs: {
      const auto counters = link::guest_from(frame.head);
      const auto question = questions_.take(frame.run);
      if (question) {
        tell_status(*question, counters ? std::optional(*counters) : std::nullopt);
      }
      return;
    }
    default: return;
  }
  Route* route = runs_.find(frame.run);
  if (route == nullptr) return;
  if (frame.type == FrameType::Started) {
    route->seal_head = frame.head;
    PYBOX_CRASHPOINT("program-started");
  }
  const bool ended = frame.type == FrameType::Report || frame.type == FrameType::Failed;
  Session* session = route->client ? session_of(*route->client) : nullptr;
  if (ended) PYBOX_CRASHPOINT("report-came");
  if (session == nullptr && frame.type == FrameType::Report) keep_record(*route, frame.head);
  const std::uint64_t run = frame.run;
  frame.run = route->client_run;
  if (session != nullptr) session->send(frame);
  if (ended) PYBOX_CRASHPOINT("report-forwarded");
  if (ended) runs_.take(run);
}

void Serving::keep_record(const Route& route, std::optional<std::string> report) {
  PendingRun pending;
  pending.order_head = route.order_head;
  pending.seal_head = route.seal_head;
  pending.report_head = std::move(report);
  pending.accelerator = name_of(launched_.accelerator);
  pending.vm = "shared";
  const Result<void> kept = keep_pending(config_.dirs, route.receipt_id, pending);
  if (!kept) ::dprintf(STDERR_FILENO, "pybox vm: %s\n", kept.error().message().c_str());
}

void Serving::drop_closed_sessions() {
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    if (at->is_open()) {
      ++at;
      continue;
    }
    Frame gone{FrameType::ClientGone, 0, "{}", {}};
    if (!warm_.hold(at->id(), gone)) serve_run_frame(at->id(), std::move(gone));
    at = sessions_.erase(at);
  }
}

void Serving::finish() {
  if (!stopping_) {
    ::dprintf(STDERR_FILENO, "pybox vm: the VM was lost: %s\n", machine().broken()->c_str());
  }
  // No new client may come to a VM that ends.
  listener_.reset();
  remove_leftovers(config_.dirs);
  machine().end();
  // Runs that never reached the guest are lost like the others.
  warm_.end();
  for (const HeldFrame& held : warm_.release()) {
    if (held.frame.type == FrameType::ClientGone) runs_.drop_client(held.session);
    if (held.frame.type != FrameType::Run) continue;
    const auto order = link::order_from(held.frame.head, held.frame.body);
    if (order) runs_.add(route_of(held.session, held.frame, order));
  }
  for (const Route& route : runs_.take_all()) {
    if (!route.client) keep_record(route, std::nullopt);
  }
  sessions_.clear();
}

}  // namespace pybox::vm
