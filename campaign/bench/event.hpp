#pragma once
/// One line of the events.jsonl of `campaign bench` (docs/benchmarks.md): the raw samples, in the
/// order in which they were taken.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/bench/plan.hpp"
#include "campaign/model/bench.hpp"
#include "campaign/model/line_head.hpp"

namespace pybox::campaign {

/// One sealed run and one of the bare interpreter, back to back.
struct PairSample {
  std::uint32_t number = 0;  ///< from 1, within its case, those of the warm-up included
  bool warm_up = false;
  First first = First::Bare;
  Nanos bare{}, sealed{};
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

}  // namespace pybox::campaign
