#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/verify/bench_records.hpp"
#include "reports/verify/figures.hpp"
#include "reports/verify/parts.hpp"

namespace pybox::reports::verify {
namespace {

using nlohmann::json;
using Numbers = std::vector<std::int64_t>;

template <class Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

json spread(const Column& column) {
  return {{"p50_ns", column.percentile(50)},
          {"p95_ns", or_null(column.high_percentile(95))},
          {"p99_ns", or_null(column.high_percentile(99))}};
}

json middle(const Column& column) {
  json figures = {{"p50", column.percentile(50)}, {"low", nullptr}, {"high", nullptr}};
  if (const auto between = column.median_interval()) {
    figures["low"] = between->low;
    figures["high"] = between->high;
  }
  return figures;
}

/// What bench.json must have for a case.
json figures(const PlannedCase& planned, const Recorded& record) {
  Numbers added, ratio;
  for (std::size_t i = 0; i < record.bare.size(); ++i) {
    added.push_back(record.sealed[i] - record.bare[i]);
    ratio.push_back(record.sealed[i] * 1000 / record.bare[i]);
  }
  json whole = json::parse(record.box);
  whole.update({{"case", planned.name},
                {"engine", planned.engine},
                {"image", planned.image},
                {"image_id", planned.image_id},
                {"program", planned.program},
                {"load_before", record.load_before},
                {"load_after", record.load_after},
                {"pairs", record.bare.size()},
                {"bare", spread(Column(record.bare))},
                {"sealed", spread(Column(record.sealed))},
                {"added_ns", middle(Column(added))},
                {"ratio_thousandths", middle(Column(ratio))}});
  return whole;
}

/// Where two values differ first, and how; empty when they are the same.
std::string difference(const json& must, const json& is, const std::string& place) {
  if (must == is) return "";
  if (must.is_object() && is.is_object()) {
    for (const auto& [key, value] : must.items()) {
      if (!is.contains(key)) return "`" + place + "." + key + "` is missing";
      std::string found = difference(value, is[key], place + "." + key);
      if (!found.empty()) return found;
    }
    for (const auto& [key, value] : is.items()) {
      if (!must.contains(key)) return "`" + visible(place + "." + key) + "` is not known";
    }
  }
  if (must.is_array() && is.is_array() && must.size() == is.size()) {
    for (std::size_t i = 0; i < must.size(); ++i) {
      std::string found = difference(must[i], is[i], place + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
  }
  if (must.is_structured()) return "`" + place + "` is not what the records give";
  return "`" + place + "` is " + visible(is.dump()) + ", but the records give " +
         visible(must.dump());
}

}  // namespace

Result<BenchFacts> check_bench(std::string_view plan_text, std::string_view events_text,
                               std::string_view bench_text) {
  const PlannedBench plan = PYBOX_TRY(read_bench_plan(plan_text));
  const RecordedBench found = PYBOX_TRY(read_bench_records(events_text, plan));
  const json started = PYBOX_TRY(parse_json(found.started));
  if (started["id"] != plan.id || started["plan_sha256"] != sha256_hex(plan_text))
    return wrong("events.jsonl began with another plan than plan.json");
  BenchFacts facts;
  facts.bench = plan.id;
  facts.lines = found.lines;
  facts.complete = found.complete;
  facts.failure = found.failure;
  json cases = json::array();
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Recorded& record = found.cases[i];
    facts.warm_up += record.pairs - record.bare.size();
    if (!record.ended || record.bare.empty()) continue;
    facts.pairs += record.bare.size();
    ++facts.cases;
    cases.push_back(figures(plan.cases[i], record));
  }
  const json must = {{"schema_version", 2},
                     {"id", plan.id},
                     {"started", found.first_utc},
                     {"ended", found.last_utc},
                     {"complete", found.complete},
                     {"failure", facts.failure.empty() ? json() : json(facts.failure)},
                     {"environment", started["environment"]},
                     {"tools", started["tools"]},
                     {"plan_sha256", sha256_hex(plan_text)},
                     {"events_sha256", sha256_hex(events_text)},
                     {"runs", plan.runs},
                     {"warm_up", plan.warm_up},
                     {"think_ms", plan.think_ms},
                     {"cases", std::move(cases)}};
  const json is = PYBOX_TRY_CONTEXT(parse_json(bench_text), "bench.json");
  const std::string wrong_place = difference(must, is, "bench");
  if (!wrong_place.empty()) return wrong("bench.json: " + wrong_place);
  PYBOX_TRY(check_form(bench_text, "bench.json"));
  return facts;
}

}  // namespace pybox::reports::verify
