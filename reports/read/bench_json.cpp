#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "reports/read/bench.hpp"
#include "reports/read/fields.hpp"

namespace pybox::reports {
namespace {

using nlohmann::json;

json or_null(const std::optional<Nanos>& time) { return time ? json(time->count()) : json(); }
json or_null(const std::string& word) { return word.empty() ? json() : json(word); }

json spread_json(const Spread& spread) {
  return {{"min_ns", spread.min.count()},
          {"p50_ns", spread.p50.count()},
          {"p95_ns", or_null(spread.p95)},
          {"p99_ns", or_null(spread.p99)},
          {"max_ns", spread.max.count()}};
}

json case_json(const BenchCase& each) {
  const MiddleOf<Nanos>& added = each.added.median;
  json ratio = {{"p50", each.ratio.p50}, {"low", nullptr}, {"high", nullptr}};
  if (each.ratio.low && each.ratio.high) {
    ratio["low"] = *each.ratio.low;
    ratio["high"] = *each.ratio.high;
  }
  json stages = json::object();
  for (const auto& [name, time] : each.stages) stages[name] = time.count();
  return {{"case", each.name},
          {"engine", each.engine},
          {"image", each.image},
          {"image_id", each.image_id},
          {"program", each.program},
          {"accelerator", or_null(each.accelerator)},
          {"kernel", each.kernel},
          {"cgroup", each.cgroup},
          {"seal_checks", each.seal_checks},
          {"cpu_millicores", each.cpu_millicores},
          {"load_before", each.load_before},
          {"load_after", or_null(each.load_after)},
          {"pairs", each.pairs},
          {"bare", spread_json(each.bare)},
          {"sealed", spread_json(each.sealed)},
          {"added",
           {{"p25_ns", each.added.p25.count()},
            {"p50_ns", added.p50.count()},
            {"p75_ns", each.added.p75.count()},
            {"low_ns", or_null(added.low)},
            {"high_ns", or_null(added.high)}}},
          {"ratio_thousandths", std::move(ratio)},
          {"held_back_runs", each.held_back_runs},
          {"stages_ns", std::move(stages)}};
}

constexpr double kMostNanos = 9e15;  // 104 days, and below 2^53

Result<Nanos> read_nanos(JsonFields& fields, std::string_view key) {
  return Nanos(static_cast<std::int64_t>(PYBOX_TRY(fields.number(key, -kMostNanos, kMostNanos))));
}
Result<std::optional<Nanos>> read_nanos_or_null(JsonFields& fields, std::string_view key) {
  const auto number = PYBOX_TRY(fields.number_or_null(key, -kMostNanos, kMostNanos));
  if (!number) return std::optional<Nanos>();
  return std::optional(Nanos(static_cast<std::int64_t>(*number)));
}

Result<Spread> read_spread(JsonFields& parent, std::string_view key) {
  JsonFields fields = PYBOX_TRY(parent.object(key));
  Spread spread;
  spread.min = PYBOX_TRY(read_nanos(fields, "min_ns"));
  spread.p50 = PYBOX_TRY(read_nanos(fields, "p50_ns"));
  spread.p95 = PYBOX_TRY(read_nanos_or_null(fields, "p95_ns"));
  spread.p99 = PYBOX_TRY(read_nanos_or_null(fields, "p99_ns"));
  spread.max = PYBOX_TRY(read_nanos(fields, "max_ns"));
  PYBOX_TRY(fields.finish());
  return spread;
}

Result<void> read_comparison(JsonFields& fields, BenchCase& each) {
  JsonFields added = PYBOX_TRY(fields.object("added"));
  each.added.p25 = PYBOX_TRY(read_nanos(added, "p25_ns"));
  each.added.median.p50 = PYBOX_TRY(read_nanos(added, "p50_ns"));
  each.added.p75 = PYBOX_TRY(read_nanos(added, "p75_ns"));
  each.added.median.low = PYBOX_TRY(read_nanos_or_null(added, "low_ns"));
  each.added.median.high = PYBOX_TRY(read_nanos_or_null(added, "high_ns"));
  PYBOX_TRY(added.finish());
  JsonFields ratio = PYBOX_TRY(fields.object("ratio_thousandths"));
  each.ratio.p50 = PYBOX_TRY(ratio.count("p50"));
  each.ratio.low = PYBOX_TRY(ratio.count_or_null("low"));
  each.ratio.high = PYBOX_TRY(ratio.count_or_null("high"));
  return ratio.finish();
}

Result<void> read_stages(JsonFields& fields, const json& object, BenchCase& each) {
  JsonFields stages = PYBOX_TRY(fields.object("stages_ns"));
  for (const auto& item : object.at("stages_ns").items())
    each.stages[item.key()] = PYBOX_TRY(read_nanos(stages, item.key()));
  return stages.finish();
}

Result<BenchCase> read_case(const json& value, const std::string& place) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, place));
  BenchCase each;
  for (const auto& [key, into] : std::initializer_list<std::pair<const char*, std::string*>>{
           {"case", &each.name},
           {"engine", &each.engine},
           {"image", &each.image},
           {"image_id", &each.image_id},
           {"program", &each.program},
           {"kernel", &each.kernel},
           {"cgroup", &each.cgroup},
           {"load_before", &each.load_before}})
    *into = PYBOX_TRY(read_word(fields, key));
  each.accelerator = PYBOX_TRY(fields.text_or_null("accelerator", 64)).value_or("");
  each.load_after = PYBOX_TRY(fields.text_or_null("load_after", 64)).value_or("");
  each.seal_checks = PYBOX_TRY(fields.count("seal_checks"));
  each.cpu_millicores = PYBOX_TRY(fields.count("cpu_millicores"));
  each.pairs = PYBOX_TRY(fields.count("pairs"));
  each.held_back_runs = PYBOX_TRY(fields.count("held_back_runs"));
  each.bare = PYBOX_TRY(read_spread(fields, "bare"));
  each.sealed = PYBOX_TRY(read_spread(fields, "sealed"));
  PYBOX_TRY(read_comparison(fields, each));
  PYBOX_TRY(read_stages(fields, value, each));
  PYBOX_TRY(fields.finish());
  return each;
}

/// An object of words.
Result<std::map<std::string, std::string>> read_map(JsonFields& fields, const json& root,
                                                    const char* key) {
  JsonFields object = PYBOX_TRY(fields.object(key));
  std::map<std::string, std::string> words;
  for (const auto& item : root.at(key).items())
    words[item.key()] = PYBOX_TRY(object.text(item.key()));
  PYBOX_TRY(object.finish());
  return words;
}

Result<Bench> read_root(const json& root) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  if (PYBOX_TRY(fields.count("schema_version")) != 1) return bad("`schema_version` is not 1");
  Bench bench;
  bench.id = PYBOX_TRY(read_word(fields, "id"));
  bench.started = PYBOX_TRY(read_word(fields, "started"));
  bench.ended = PYBOX_TRY(read_word(fields, "ended"));
  bench.complete = PYBOX_TRY(fields.flag("complete"));
  bench.failure = PYBOX_TRY(fields.text_or_null("failure", kLongText)).value_or("");
  bench.environment = PYBOX_TRY(read_map(fields, root, "environment"));
  bench.tools = PYBOX_TRY(read_map(fields, root, "tools"));
  bench.plan_sha256 = PYBOX_TRY(read_digest(fields, "plan_sha256"));
  bench.events_sha256 = PYBOX_TRY(read_digest(fields, "events_sha256"));
  bench.runs = PYBOX_TRY(fields.count("runs"));
  bench.warm_up = PYBOX_TRY(fields.count("warm_up"));
  bench.think_ms = PYBOX_TRY(fields.count("think_ms"));
  for (const json* item : PYBOX_TRY(fields.list("cases", 1000))) {
    const std::string place = "cases[" + std::to_string(bench.cases.size()) + "]";
    bench.cases.push_back(PYBOX_TRY(read_case(*item, place)));
  }
  PYBOX_TRY(fields.finish());
  return bench;
}

}  // namespace

Result<std::string> bench_to_json(const Bench& bench) {
  json cases = json::array();
  for (const BenchCase& each : bench.cases) cases.push_back(case_json(each));
  const json root = {{"schema_version", 1},
                     {"id", bench.id},
                     {"started", bench.started},
                     {"ended", bench.ended},
                     {"complete", bench.complete},
                     {"failure", or_null(bench.failure)},
                     {"environment", bench.environment},
                     {"tools", bench.tools},
                     {"plan_sha256", bench.plan_sha256},
                     {"events_sha256", bench.events_sha256},
                     {"runs", bench.runs},
                     {"warm_up", bench.warm_up},
                     {"think_ms", bench.think_ms},
                     {"cases", std::move(cases)}};
  return PYBOX_TRY(canonical_json(root)) + "\n";
}

Result<Bench> read_bench(std::string_view text) {
  const json root = PYBOX_TRY_CONTEXT(parse_json(text), "bench.json");
  auto bench = read_root(root);
  if (!bench) return std::move(bench).error().as(ErrorKind::Evidence);
  return bench;
}

Result<BenchSeries> read_bench_series(std::string_view events) {
  BenchSeries series;
  while (!events.empty()) {
    const json line = PYBOX_TRY_CONTEXT(parse_json(take_line(events)), "events.jsonl");
    JsonFields fields = PYBOX_TRY(JsonFields::of(line, ""));
    if (PYBOX_TRY(fields.text("event")) != "pair" || PYBOX_TRY(fields.flag("warm_up"))) continue;
    CaseSeries& each = series[PYBOX_TRY(fields.text("case"))];
    each.bare.push_back(PYBOX_TRY(read_nanos(fields, "bare_ns")).count());
    each.sealed.push_back(PYBOX_TRY(read_nanos(fields, "sealed_ns")).count());
  }
  return series;
}

bool is_bench_folder(const std::filesystem::path& dir) {
  std::error_code ignored;
  return std::filesystem::exists(dir / "bench.json", ignored) &&
         !std::filesystem::exists(dir / "campaign.json", ignored);
}

}  // namespace pybox::reports
