#pragma once
/// Theory of operation: case after case, and in each pair after pair: a sealed run and one of the
/// bare interpreter back to back, in an order that the plan's seed decides. Each is one process
/// (timed.hpp), started and reaped by us, nothing else of ours running meanwhile. The VM is one of
/// the bench's own, started before its first case and stopped at the end. Every pair is written
/// down before the next begins. A run that failed is no sample: it ends the bench.

#include <filesystem>
#include <map>
#include <string>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "campaign/bench/event.hpp"
#include "campaign/bench/plan.hpp"
#include "campaign/run/chained_lines.hpp"
#include "campaign/run/driver_home.hpp"
#include "campaign/run/redact.hpp"

namespace pybox::campaign {

/// events.jsonl of a bench.
class BenchJournal {
 public:
  static Result<BenchJournal> create(const std::filesystem::path& folder);
  /// On the disk when it returns, but for pairs: those are with the end of their case, so that no
  /// write to a disk falls between two runs.
  Result<void> append(BenchEvent event);

 private:
  explicit BenchJournal(ChainedLines lines) : lines_(std::move(lines)) {}
  ChainedLines lines_;
};

struct BenchSettings {
  std::filesystem::path programs;                       ///< where pybox stands
  std::map<std::string, std::filesystem::path> rootfs;  ///< of each image of the plan
  Redactor redactor = Redactor({});
  int cancel_fd = -1;  ///< readable: end
};

enum class BenchEnd { Complete, Cancelled, RunFailed };

/// The journal ends with `bench-ended` whatever comes. Error: evidence could not be written, the VM
/// does not start.
Result<BenchEnd> run_bench(const BenchPlan& plan, const BenchSettings& settings, DriverHome& home,
                           BenchJournal& journal, Progress& progress);

}  // namespace pybox::campaign
