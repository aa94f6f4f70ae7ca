#include <unistd.h>

#include <algorithm>

#include "vm/serving.hpp"

namespace pybox::vm {
namespace {

/// A guest that ends in its warm-up is replaced this often.
constexpr int kRestarts = 3;

}  // namespace

Serving::Serving(const Config& config, const StartReport& report, Relaunch relaunch,
                 Launched launched, sys::Fd listener, sys::Fd signals)
    : config_(config),
      report_(report),
      relaunch_(std::move(relaunch)),
      listener_(std::move(listener)),
      signals_(std::move(signals)) {
  take_machine(std::move(launched));
}

void Serving::take_machine(Launched launched) {
  launched_ = std::move(launched);
  plugged_.emplace(config_, machine(), launched_.images);
  greeted_ = monotonic_now();
}

void Serving::warm_up() {
  if (launched_.warm) {
    warm_.end();
    return release_held();
  }
  const std::uint64_t run = runs_.fresh();
  warm_.begin(run, monotonic_now());
  machine().send(warm_up_order(run, config_.base.image_id, config_.cpus));
}

void Serving::release_held() {
  warm_.look(monotonic_now());
  if (!warm_.is_under_way()) settle(std::nullopt);
  for (HeldFrame& held : warm_.release()) serve_run_frame(held.session, std::move(held.frame));
}

/// The guest has ended. True: another serves in its place, because no client's run has reached the
/// one that ended.
bool Serving::start_again() {
  if (stopping_ || !warm_.is_under_way()) return false;
  const std::string why = machine().broken().value_or("");
  if (restarts_++ == kRestarts) {
    settle(Error(ErrorKind::HostCannot, "the guest ended right after its start each time: " + why)
               .hint("`pybox vm logs` shows why"));
    return false;
  }
  notice("the guest ended right after its start (" + why + "); starting it again");
  machine().end();
  StartWatcher watcher;
  watcher.stage = [](std::string_view) {};
  watcher.notice = [this](std::string_view text) { notice(std::string(text)); };
  watcher.aborted = [this] {
    serve(0, nullptr);
    give_up_questions();
    return stopping_;
  };
  Result<Launched> again = relaunch_(watcher);
  if (!again) {
    if (!stopping_) settle(again.error());
    return false;
  }
  // All of the new one's are among them.
  again->notices = std::move(launched_.notices);
  take_machine(std::move(again).value());
  return true;
}

/// Each notice once, however often it is given.
void Serving::notice(const std::string& text) {
  std::vector<std::string>& all = launched_.notices;
  if (std::find(all.begin(), all.end(), text) != all.end()) return;
  all.push_back(text);
  ::dprintf(STDERR_FILENO, "pybox vm: %s\n", text.c_str());
  if (!settled_) report_.watcher.notice(text);
}

void Serving::settle(const std::optional<Error>& lost) {
  if (settled_) return;
  settled_ = true;
  report_.settled(lost);
}

}  // namespace pybox::vm
