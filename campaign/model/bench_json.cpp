#include <nlohmann/json.hpp>

#include "campaign/model/bench.hpp"
#include "campaign/model/shared_json.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;

json nanos_or_null(const std::optional<Nanos>& time) { return time ? json(time->count()) : json(); }
json number_or_null(const std::optional<std::int64_t>& value) {
  return value ? json(*value) : json();
}
json word_or_null(const std::string& word) { return word.empty() ? json() : json(word); }

json spread_json(const Spread& spread) {
  return {{"p50_ns", spread.p50.count()},
          {"p95_ns", nanos_or_null(spread.p95)},
          {"p99_ns", nanos_or_null(spread.p99)}};
}

json middle_json(const Middle& middle) {
  return {{"p50", middle.p50},
          {"low", number_or_null(middle.low)},
          {"high", number_or_null(middle.high)}};
}

json case_json(const BenchCase& each) {
  return {{"case", each.name},
          {"engine", each.engine},
          {"image", each.image},
          {"image_id", each.image_id},
          {"program", each.program},
          {"accelerator", word_or_null(each.box.accelerator)},
          {"kernel", each.box.kernel},
          {"cgroup", each.box.cgroup},
          {"seal_checks", each.box.seal_checks},
          {"cpu_millicores", each.box.cpu_millicores},
          {"load_before", each.load_before},
          {"load_after", each.load_after},
          {"pairs", each.pairs},
          {"bare", spread_json(each.bare)},
          {"sealed", spread_json(each.sealed)},
          {"added_ns", middle_json(each.added)},
          {"ratio_thousandths", middle_json(each.ratio)}};
}

}  // namespace

Result<std::string> bench_to_json(const Bench& bench) {
  json cases = json::array();
  for (const BenchCase& each : bench.cases) cases.push_back(case_json(each));
  return as_line({{"schema_version", 2},
                  {"id", bench.id},
                  {"started", bench.started},
                  {"ended", bench.ended},
                  {"complete", bench.complete},
                  {"failure", word_or_null(bench.failure)},
                  {"environment", bench.environment},
                  {"tools", bench.tools},
                  {"plan_sha256", bench.plan_sha256},
                  {"events_sha256", bench.events_sha256},
                  {"runs", bench.runs},
                  {"warm_up", bench.warm_up},
                  {"think_ms", bench.think_ms},
                  {"cases", std::move(cases)}});
}

}  // namespace pybox::campaign
