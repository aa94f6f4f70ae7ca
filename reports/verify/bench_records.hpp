#pragma once
/// What the plan and the events of a bench say, once each line was checked against the plan and the
/// lines before it.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::reports::verify {

struct PlannedCase {
  std::string name, engine, image, image_id, program;
};
struct PlannedBench {
  std::string id;
  std::uint64_t runs = 0, warm_up = 0, think_ms = 0, seed = 0;
  std::vector<PlannedCase> cases;
};

Result<PlannedBench> read_bench_plan(std::string_view text);

/// Everything recorded about one case.
struct Recorded {
  std::vector<std::int64_t> bare, sealed;  ///< nanoseconds, without the warm-up
  std::uint64_t pairs = 0;                 ///< those of the warm-up included
  std::string load_before, load_after;
  std::string box;  ///< a JSON object
  bool ended = false;
};

struct RecordedBench {
  std::vector<Recorded> cases;  ///< one for each of the plan
  std::string started;          ///< the first line, a JSON object
  std::string failure, first_utc, last_utc;
  std::uint64_t lines = 0;
  bool complete = false;
};
/// Errors of kind Evidence: a line that does not fit the chain or the plan, a pair that is missing,
/// moved or impossible in the time there was.
Result<RecordedBench> read_bench_records(std::string_view events, const PlannedBench& plan);

}  // namespace pybox::reports::verify
