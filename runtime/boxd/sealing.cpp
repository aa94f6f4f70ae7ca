/// The step from a box whose processes are ready to a program that runs: the seal is read back, and
/// judged, and only then is the go given.

#include "base/clock.hpp"
#include "base/crashpoint.hpp"
#include "box/cgroup_files.hpp"
#include "boxd/run.hpp"
#include "boxd/seal_policy.hpp"

namespace pybox::boxd {
namespace {

void add_checks(const std::vector<SealCheck>& more, Seal& seal) {
  for (const SealCheck& check : more) {
    seal.verified = seal.verified && check.ok;
    seal.checks.push_back(check);
  }
}

/// "cred.caps (…), fs.ro (…)": those that do not hold, with what was observed.
std::string broken(const Seal& seal) {
  std::string names;
  for (const SealCheck& check : seal.checks) {
    if (!check.ok) names += (names.empty() ? "" : ", ") + check.name + " (" + check.observed + ")";
  }
  return names;
}

}  // namespace

/// sup.outcap: what is kept of an endless stream is bounded.
SealCheck Run::output_check() const {
  const Limits& limits = order_.request.limits;
  const auto both = [](Bytes out, Bytes err) {
    return std::to_string(out.count) + " " + std::to_string(err.count);
  };
  return box::compare("sup.outcap", both(limits.stdout_bytes, limits.stderr_bytes),
                      both(out_->keeps(), err_->keeps()),
                      std::string(kByConstruction) + ": boxd's own limits of stdout and stderr");
}

/// The keeper gets rid of its rights meanwhile.
void Run::read_program(Nanos now) {
  report_.timing.prepare = now - built_;
  sealed_at_ = now;
  Result<void> known = box_->identify(sealed_->pid);
  if (!known) return refuse(false, known.error().message(), "");
  reading_->read_program(*sealed_);
}

void Run::go_if_sealed() {
  if (state_ != State::Building || !sealed_ || !keeping_) return;
  report_.seal = reading_->finish(*keeping_);
  reading_.reset();
  keeping_.reset();
  add_checks(workshop_.around, report_.seal);
  add_checks({output_check()}, report_.seal);
  if (order_.request.return_files) {
    transfer_.emplace(*box_);
    add_checks(transfer_->checks(*box_), report_.seal);
  }
  verified_ = monotonic_now();
  report_.timing.seal = verified_ - sealed_at_;
  if (!acceptable(report_.seal, order_.leave_out)) {
    return refuse(true, "the box is not sealed as it must be: " + broken(report_.seal),
                  "nothing was run; `pybox doctor` looks for the cause");
  }
  PYBOX_CRASHPOINT("seal-verified");
  go_ = monotonic_now();
  Result<void> went = box_->go(order_.request.timeout + ceiling::kBoxTimerGrace);
  if (!went) return refuse(false, went.error().message(), "");
  report_.timing.start = go_ - verified_;
  state_ = State::Running;
  has_started_ = true;
  PYBOX_CRASHPOINT("go");
  if (listener_.started) listener_.started(report_.seal);
}

}  // namespace pybox::boxd
