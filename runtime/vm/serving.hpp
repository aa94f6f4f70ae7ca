#pragma once
/// The supervisor's loop: clients on one side, the guest on the other (vm/supervisor.hpp tells the
/// theory).

#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "link/control.hpp"
#include "vm/config.hpp"
#include "vm/launch.hpp"
#include "vm/plugged.hpp"
#include "vm/questions.hpp"
#include "vm/run_table.hpp"
#include "vm/session.hpp"
#include "vm/status.hpp"
#include "vm/supervisor.hpp"
#include "vm/warm_up.hpp"

namespace pybox::vm {

/// Launches another machine like the first one.
using Relaunch = std::function<Result<Launched>(const StartWatcher&)>;

class Serving {
 public:
  /// `listener` is bound to run/vm.sock, `signals` becomes readable when the supervisor is to end;
  /// both non-blocking. `config` and `report` must outlive it.
  Serving(const Config& config, const StartReport& report, Relaunch relaunch, Launched launched,
          sys::Fd listener, sys::Fd signals);

  /// Serves until somebody stops the VM or it is lost; then nothing of it is left.
  void loop();

 private:
  Machine& machine() { return *launched_.machine; }
  void take_machine(Launched launched);
  void warm_up();
  bool start_again();
  void settle(const std::optional<Error>& lost);
  void notice(const std::string& text);
  void release_held();
  int poll_patience();
  void wait();
  /// One round of poll. Without a machine only clients are served; their runs wait.
  void serve(int timeout, Machine* machine);
  void welcome();
  void serve_session(Session& session);
  void serve_frame(Session& session, link::Frame frame);
  void answer_status(Session& session, const link::Frame& frame);
  void tell_status(const Question& question, std::optional<link::GuestCounters> guest);
  std::optional<Nanos> give_up_questions();
  void serve_run_frame(std::uint64_t session, link::Frame frame);
  void start_run(std::uint64_t session, link::Frame frame);
  void forward_run(std::uint64_t run, link::Frame frame);
  void fail_run(std::uint64_t run, const Error& error);
  void take_guest_frames();
  void take_guest_frame(link::Frame frame);
  void drop_closed_sessions();
  void keep_record(const Route& route, std::optional<std::string> report);
  void renew();
  void finish();
  /// nullptr when it is gone.
  Session* session_of(std::uint64_t id);
  Status status() const;

  const Config& config_;
  const StartReport& report_;
  Relaunch relaunch_;
  Launched launched_;
  std::optional<PluggedImages> plugged_;
  sys::Fd listener_;
  sys::Fd signals_;
  std::list<Session> sessions_;
  RunTable runs_;
  Questions questions_;
  WarmUp warm_;
  std::uint64_t sessions_seen_ = 0;
  Nanos since_ = monotonic_now();
  Nanos greeted_ = monotonic_now();
  int restarts_ = 0;
  bool settled_ = false;
  bool stopping_ = false;
};

}  // namespace pybox::vm
