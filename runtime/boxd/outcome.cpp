/// What a finished run showed: from the keeper's word, PyBox's own stops and the kernel's counters.

#include <csignal>

#include "boxd/run.hpp"

namespace pybox::boxd {
namespace {

void by_kill(Outcome& outcome, Observation observation) {
  outcome.observation = observation;
  outcome.exit_code = 128 + SIGKILL;
  outcome.signal = SIGKILL;
}

std::string describe(const box::Message& ended) {
  return ended.a == 1 ? "wait status: killed by signal " + std::to_string(ended.b)
                      : "wait status: exited " + std::to_string(ended.b);
}

}  // namespace

void Run::read_kernel() {
  box_->cgroup().read_final(report_.kernel);
  report_.kernel.series = sampler_.series();
  report_.kernel.lost_samples = sampler_.lost();
  // A kernel without peak counters leaves the highest sample, which is not final.
  for (const Sample& sample : sampler_.series()) {
    if (!report_.kernel.memory_peak_final) {
      report_.kernel.memory_peak_bytes =
          std::max(report_.kernel.memory_peak_bytes, sample.memory_bytes);
    }
  }
}

/// A run that was cancelled, or that nobody waits for, hands nothing over.
void Run::collect_files() {
  const Observation how = report_.outcome.observation;
  if (!transfer_ || orphaned_ || how == Observation::CancelKill || how == Observation::BoxLost)
    return;
  report_.files = transfer_->collect();
}

void Run::fill_outcome() {
  Outcome& outcome = report_.outcome;
  const bool oom = report_.kernel.oom_kills.value_or(0) > 0;
  outcome.wall = end_ - go_;
  outcome.stop_requests = stop_requests_;
  outcome.box_timer_fired = box_timer_fired_;
  outcome.deadline_fired = false;
  if (report_.kernel.oom_kills) outcome.out_of_memory = oom;
  if (ended_) outcome.evidence.push_back(describe(*ended_));
  if (report_.kernel.oom_kills) {
    outcome.evidence.push_back("memory cgroup: " + std::to_string(*report_.kernel.oom_kills) +
                               " out-of-memory kills");
  }
  if (killed_for_) {
    outcome.evidence.emplace_back(*killed_for_ == Observation::SupervisorKill
                                      ? "the deadline passed and boxd sent SIGKILL"
                                      : "a cancel arrived and boxd sent SIGKILL");
  }
  if (box_timer_fired_) outcome.evidence.emplace_back("the keeper's timer fired and ended the box");

  const bool sigkilled = ended_ && ended_->a == 1 && ended_->b == SIGKILL;
  if (ended_ && !sigkilled) {
    outcome.observation = Observation::TargetExit;
    const int number = static_cast<int>(ended_->b);
    outcome.exit_code = ended_->a == 1 ? 128 + number : number;
    if (ended_->a == 1) outcome.signal = number;
  } else if (box_timer_fired_) {
    by_kill(outcome, Observation::BoxTimerKill);
  } else if (killed_for_) {
    by_kill(outcome, *killed_for_);
    outcome.deadline_fired = *killed_for_ == Observation::SupervisorKill;
  } else if (sigkilled && oom) {
    by_kill(outcome, Observation::OutOfMemoryKill);
  } else if (sigkilled) {
    by_kill(outcome, Observation::TargetExit);
  } else {
    outcome.observation = Observation::BoxLost;
    outcome.evidence.emplace_back("the keeper ended without a word on the program");
  }
}

}  // namespace pybox::boxd
