#pragma once
/// One line of the events.jsonl of `campaign bench` (docs/benchmarks.md): the raw samples, in the
/// order in which they were taken.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/bench/plan.hpp"
#include "campaign/run/chained_lines.hpp"
#include "receipt/report.hpp"

namespace pybox::campaign {

/// What every sealed run of a case had in common.
struct BoxFacts {
  std::string accelerator;  ///< empty on the native engine
  std::string kernel;
  std::string cgroup;
  std::uint64_t seal_checks = 0;
  std::uint64_t cpu_millicores = 0;

  friend bool operator==(const BoxFacts&, const BoxFacts&) = default;
};

/// One sealed run and one of the bare interpreter, back to back.
struct PairSample {
  std::uint32_t number = 0;  ///< from 1, within its case, those of the warm-up included
  bool warm_up = false;
  First first = First::Bare;
  Nanos bare{}, sealed{};
  Nanos held_back{};  ///< how long the kernel made the program wait for its CPU limit
  StageTimes stages;  ///< of the sealed run, by boxd's clock
};

enum class BenchEventKind { Started, CaseStarted, Pair, CaseEnded, RunFailed, Ended };

/// Which fields count depends on `kind`.
struct BenchEvent {
  BenchEventKind kind = BenchEventKind::Started;
  LineHead head;

  // bench-started
  std::string id, plan_sha256;
  std::map<std::string, std::string> environment, tools;

  std::string name;  ///< of the case: case-started, pair, case-ended, run-failed
  std::string load;  ///< case-started, case-ended: the kernel's load averages
  BoxFacts box;      ///< case-ended
  PairSample pair;
  std::string why;        ///< run-failed
  bool complete = false;  ///< bench-ended
};

/// The line without its newline, RFC 8785.
Result<std::string> bench_event_to_json(const BenchEvent& event);
/// A whole events.jsonl: strict, numbers and chain checked. Error kind Evidence, naming the line. A
/// torn last line is an error.
Result<std::vector<BenchEvent>> read_bench_events(std::string_view text);

/// The stages of a receipt by name, in the order in which they happen, without `total`.
struct NamedStage {
  const char* name;
  std::optional<Nanos> StageTimes::*member;
};
extern const std::vector<NamedStage> kStages;

}  // namespace pybox::campaign
