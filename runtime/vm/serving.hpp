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
#include "vm/warm_up.hpp"

namespace pybox::vm {

class Serving {
 public:
  /// `listener` is bound to run/vm.sock, `signals` becomes readable when the supervisor is to end;
  /// both non-blocking. `config` must outlive it.
  Serving(const Config& config, Launched launched, sys::Fd listener, sys::Fd signals)
      : config_(config),
        launched_(std::move(launched)),
        machine_(*launched_.machine),
        plugged_(config, machine_, launched_.images),
        listener_(std::move(listener)),
        signals_(std::move(signals)) {}

  /// Serves until somebody stops the VM or it is lost; then nothing of it is left.
  void loop() {
    warm_up();
    while (!stopping_ && !machine_.broken()) wait();
    finish();
  }

 private:
  void warm_up();
  void release_held();
  int poll_patience();
  void wait();
  void welcome();
  void serve_session(Session& session);
  void serve_frame(Session& session, link::Frame frame);
  void answer_status(Session& session, const link::Frame& frame);
  void tell_status(const Question& question, std::optional<link::GuestCounters> guest);
  std::optional<Nanos> give_up_questions();
  void start_run(Session& session, link::Frame frame);
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
  Launched launched_;
  Machine& machine_;
  PluggedImages plugged_;
  sys::Fd listener_;
  sys::Fd signals_;
  std::list<Session> sessions_;
  RunTable runs_;
  Questions questions_;
  WarmUp warm_;
  std::uint64_t sessions_seen_ = 0;
  Nanos since_ = monotonic_now();
  Nanos greeted_ = monotonic_now();
  bool stopping_ = false;
};

}  // namespace pybox::vm
