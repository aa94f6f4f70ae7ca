#pragma once
/// A sealed run as a user has it: `pybox exec` as a process, in a home of the bench's own, its
/// receipt looked at outside the clock.

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "campaign/bench/event.hpp"
#include "campaign/bench/timed.hpp"
#include "receipt/receipt.hpp"
#include "receipt/signature.hpp"

namespace pybox::campaign {

struct SealedRun {
  sys::ToolResult timed;
  BoxFacts box;
  /// Why it is no sample: it failed, its output is wrong, its seal was not verified, its box is not
  /// gone, or its receipt speaks of something else. Empty for a sample.
  std::string trouble;
};

class SealedRunner {
 public:
  /// `home`: the PYBOX_HOME, which nobody else uses.
  SealedRunner(std::filesystem::path pybox, std::filesystem::path home, int cancel_fd)
      : pybox_(std::move(pybox)), home_(std::move(home)), cancel_fd_(cancel_fd) {}

  /// Error: pybox could not be started.
  Result<SealedRun> run(const BenchCasePlan& plan);

 private:
  Result<sys::ToolResult> time_exec(const BenchCasePlan& plan) const;
  /// The receipt of the run that has just ended, its signature verified; it is removed.
  Result<Receipt> take_receipt();

  std::filesystem::path pybox_;
  std::filesystem::path home_;
  int cancel_fd_;
  std::optional<PublicKey> key_;  ///< of the home, made by its first run
};

/// What keeps this receipt from being a sample of that case; empty: nothing.
std::string why_no_sample(const Receipt& receipt, const BenchCasePlan& plan);

}  // namespace pybox::campaign
