#include "boxd/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"
#include "base/crashpoint.hpp"
#include "boxd/seal_policy.hpp"

namespace pybox::boxd {
namespace {

/// Building takes milliseconds natively and a second under emulation; this bounds a stuck one.
constexpr Nanos kBuildPatience = std::chrono::seconds(20);
/// After SIGKILL to the program alone: how long its wait status may take to arrive.
constexpr Nanos kStatusPatience = Millis(500);
/// The keeper's own timer fires at limit + 1 s; past this it evidently did not.
constexpr Nanos kKeeperGrace = ceiling::kBoxTimerGrace + Millis(500);
/// How long killed processes may take to vanish before cleanup counts as unconfirmed.
constexpr Nanos kVanishPatience = std::chrono::seconds(10);

/// What a control arm keeps of a stream: more than any limit, and still fit for a report.
constexpr Bytes kUncapped = 600_KiB;

bool readable(const pollfd& event) { return (event.revents & (POLLIN | POLLHUP | POLLERR)) != 0; }

}  // namespace

Run::Run(Key, link::RunOrder order, const Workshop& workshop, Nanos received, Listener listener)
    : order_(std::move(order)),
      workshop_(workshop),
      listener_(std::move(listener)),
      sampler_(order_.request.timeout),
      received_(received) {
  report_.host = workshop.host;
  if (order_.request.return_files) report_.files.status = Files::Status::NotReceived;
}

std::unique_ptr<Run> Run::start(link::RunOrder order, const Workshop& workshop,
                                std::uint64_t number, Nanos received, Listener listener) {
  auto run =
      std::make_unique<Run>(Key{}, std::move(order), workshop, received, std::move(listener));
  run->build(number);
  return run;
}

void Run::build(std::uint64_t number) {
  const Nanos began = monotonic_now();
  report_.timing.queue = began - received_;
  if (!may_leave_out(order_.leave_out)) {
    return refuse(true, "this boxd leaves no protection out", "controls run with boxd-campaign");
  }
  auto plan = std::make_unique<box::BoxPlan>(
      box::plan_box(order_.request, box::id_map_for(::geteuid()), cuts_for(order_.leave_out)));
  plan->rootfs = workshop_.rootfs;
  plan->empty = workshop_.empty;
  plan->has_stdin = order_.has_stdin;
  Result<std::unique_ptr<box::Box>> box =
      box::Box::start(std::move(plan), *workshop_.cgroup, number);
  if (!box) {
    return refuse(box.error().kind() == ErrorKind::HostCannot, box.error().message(),
                  box.error().hint());
  }
  box_ = std::move(box).value();
  PYBOX_CRASHPOINT("box-made");
  const bool uncapped = box_->plan().cuts.left_out("sup.outcap");
  const Limits& limits = order_.request.limits;
  out_.emplace(box_->take_stdout(), uncapped ? kUncapped : limits.stdout_bytes);
  err_.emplace(box_->take_stderr(), uncapped ? kUncapped : limits.stderr_bytes);
  stdin_ = box_->take_stdin();
  built_ = began;
  reading_.emplace(*box_);  // while the keeper builds
}

void Run::watch(std::vector<pollfd>& into) const {
  if (!box_) return;
  const auto add = [&](int fd, short what) { into.push_back({fd, what, 0}); };
  add(keeper_hung_up_ ? -1 : box_->keeper_socket(), POLLIN);
  add(sealed_ || program_hung_up_ ? -1 : box_->program_socket(), POLLIN);
  add(box_->keeper_pidfd(), POLLIN);
  add(out_->fd(), POLLIN);
  add(err_->fd(), POLLIN);
  add(stdin_waiting_.empty() ? -1 : stdin_.get(), POLLOUT);
}

void Run::handle(const pollfd* events, std::size_t count, Nanos now) {
  if (count != 6 || done()) return;
  // Streams first: what the program wrote before it ended belongs to it.
  const auto streaming = [&](int stream) {
    return [this, stream](std::string_view bytes) {
      PYBOX_CRASHPOINT("first-output");
      if (listener_.output && !orphaned_) listener_.output(stream, bytes);
    };
  };
  if (readable(events[3])) out_->drain_some(streaming(1));
  if (readable(events[4])) err_->drain_some(streaming(2));
  if (events[5].revents != 0) write_stdin();
  if (readable(events[1])) on_program_socket(now);
  if (!done() && readable(events[0])) on_keeper_socket(now);
  if (!done() && readable(events[2]) && box_->ended(Nanos{0}).has_value()) {
    if (state_ == State::Building)
      return refuse(false, "the keeper died while the box was built", "");
    begin_ending(now);
    out_->drain_rest(streaming(1));
    err_->drain_rest(streaming(2));
    finish(monotonic_now());
  }
}

void Run::on_program_socket(Nanos now) {
  const auto notice = box_->receive_notice();
  if (!notice) {
    program_hung_up_ = true;  // how it ended is the keeper's to tell
    return;
  }
  if (notice->message.say == box::Say::Failed) {
    const Error error =
        Error::from_errno(static_cast<int>(notice->message.a), notice->message.text.data());
    return refuse(true, "the box could not be made: " + error.message(),
                  "`pybox doctor` looks for the cause");
  }
  if (state_ != State::Building || notice->message.say != box::Say::Sealed) return;
  sealed_ = notice;
  read_program(now);
  go_if_sealed();
}

void Run::on_keeper_socket(Nanos now) {
  std::optional<box::KeeperNotice> notice = box_->receive_keeper();
  if (!notice) {
    keeper_hung_up_ = true;  // its end is seen on its pidfd
    return;
  }
  const box::Message& message = notice->message;
  switch (message.say) {
    case box::Say::Keeping: keeping_ = std::move(notice); return go_if_sealed();
    case box::Say::Ended:
      if (state_ == State::Building) {
        return refuse(false, "the program's process ended before it was sealed", "");
      }
      ended_ = message;
      return begin_ending(now);
    case box::Say::TimerFired: box_timer_fired_ = true; return begin_ending(now);
    case box::Say::Expired:
      return refuse(false, "the box expired before its program could start", "");
    default: break;
  }
  const Error error = Error::from_errno(static_cast<int>(message.a), message.text.data());
  refuse(true, "the box could not be made: " + error.message(),
         "`pybox doctor` looks for the cause");
}

std::optional<Nanos> Run::next_tick() const {
  std::optional<Nanos> next;
  const auto consider = [&](Nanos at) { next = next ? std::min(*next, at) : at; };
  switch (state_) {
    case State::Building: consider(received_ + kBuildPatience); break;
    case State::Running:
      if (const auto due = sampler_.due()) consider(go_ + *due);
      if (killed_for_)
        consider(kill_at_ + kStatusPatience);
      else if (!orphaned_)
        consider(go_ + order_.request.timeout);
      // The keeper's timer ends the box; this only notices a keeper that cannot.
      consider(go_ + order_.request.timeout + kKeeperGrace);
      break;
    case State::Ending: consider(end_ + kVanishPatience); break;
    case State::Done: break;
  }
  return next;
}

void Run::tick(Nanos now) {
  if (state_ == State::Building && now >= received_ + kBuildPatience) {
    return refuse(false, "the box was not ready within 20 s", "is the machine overloaded?");
  }
  if (state_ == State::Running) {
    if (const auto due = sampler_.due(); due && now >= go_ + *due) sample(now);
    if (killed_for_ && now >= kill_at_ + kStatusPatience) return begin_ending(now);
    if (!killed_for_ && !orphaned_ && now >= go_ + order_.request.timeout) {
      return kill_for(Observation::SupervisorKill, now);
    }
    if (now >= go_ + order_.request.timeout + kKeeperGrace) return begin_ending(now);
  }
  if (state_ == State::Ending && now >= end_ + kVanishPatience) finish(now);
}

void Run::sample(Nanos now) {
  const box::CgroupReading reading = box_->cgroup().read_now();
  sampler_.take(now - go_, {Nanos{}, reading.memory_bytes, reading.pids, reading.cpu_s});
}

void Run::kill_for(Observation why, Nanos now) {
  if (killed_for_ || state_ != State::Running) return;
  killed_for_ = why;
  kill_at_ = now;
  PYBOX_CRASHPOINT("limit-hit");
  ++stop_requests_;
  // The program first and the keeper last: if the program had already ended by itself, its own
  // status is still what the keeper reports.
  box_->kill_program();
  box_->cgroup().kill_all();
  PYBOX_CRASHPOINT("killed");
}

void Run::begin_ending(Nanos now) {
  if (state_ != State::Running) return;
  state_ = State::Ending;
  end_ = now;
  report_.timing.run = end_ - go_;
  const auto left = box_->cgroup().read_now().pids;
  if (left && ended_) report_.outcome.leftovers_killed = static_cast<std::uint32_t>(*left);
  PYBOX_CRASHPOINT("program-ended");
  if (transfer_) transfer_->before_end(*box_);
  box_->kill_all();
  PYBOX_CRASHPOINT("box-killed");
  if (left != 0U || !ended_) return;
  // The group is empty: its counters are final and it can go, while the keeper takes its time to.
  read_kernel();
  (void)box_->remove(Nanos{0}).has_value();
}

void Run::cancel(Nanos now) {
  if (state_ == State::Building) return refuse(false, "cancelled before the program started", "");
  kill_for(Observation::CancelKill, now);
}

void Run::orphan(Nanos now) {
  orphaned_ = true;
  if (order_.request.when_orphaned == Request::WhenOrphaned::Kill) return cancel(now);
  feed_stdin({});
  if (killed_for_ || state_ != State::Building) return;
  // Its program has not started and nobody waits for it.
  refuse(false, "the client went away before the program started", "");
}

void Run::refuse(bool refused, std::string message, std::string hint) {
  if (done()) return;
  report_.failure = RunReport::Failure{refused, std::move(message), std::move(hint)};
  report_.outcome.observation = Observation::NotStarted;
  if (box_) {
    box_->kill_all();
    (void)box_->ended(kVanishPatience).has_value();
  }
  finish(monotonic_now());
}

void Run::finish(Nanos now) {
  if (done()) return;
  state_ = State::Done;
  const bool ran = go_ != Nanos{};
  if (!box_) {
    report_.cleanup = {Cleanup::Status::NotAttempted, "no box was made"};
  } else {
    const Result<bool> gone = box_->ended(Nanos{0});
    if (ran) {
      if (report_.kernel.source.empty()) read_kernel();
      fill_outcome();
      PYBOX_CRASHPOINT("counters-read");
      if (gone && *gone) collect_files();
      PYBOX_CRASHPOINT("files-collected");
      report_.out = std::move(*out_).take();
      report_.err = std::move(*err_).take();
    }
    transfer_.reset();
    collected_ = monotonic_now();
    if (ran) report_.timing.collect = collected_ - end_;
    const Result<void> removed = box_->remove(std::chrono::seconds(2));
    if (gone && *gone && removed) {
      report_.cleanup = {Cleanup::Status::Removed,
                         "every process ended and the cgroup was removed"};
    } else {
      report_.cleanup = {Cleanup::Status::Unconfirmed, removed
                                                           ? "the keeper did not end after SIGKILL"
                                                           : removed.error().message()};
    }
    PYBOX_CRASHPOINT("cgroup-removed");
    mounts_ = box_->take_mounts();
    box_.reset();
    report_.timing.cleanup = monotonic_now() - collected_;
  }
  report_.timing.total = std::max(now, monotonic_now()) - received_;
}

}  // namespace pybox::boxd
