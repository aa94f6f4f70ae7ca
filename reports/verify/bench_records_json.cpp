#include <nlohmann/json.hpp>
#include <set>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/verify/bench_records.hpp"
#include "reports/verify/parts.hpp"

namespace pybox::reports::verify {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestText = 1U << 17U;

/// Whether the sealed run of a pair goes first by the plan's seed (docs/benchmarks.md).
bool sealed_goes_first(std::uint64_t seed, std::uint64_t place, std::uint64_t index) {
  std::uint64_t z = seed + ((place << 32U) + index + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return ((z ^ (z >> 31U)) >> 63U) != 0;
}

/// Reads the lines in order.
class BenchReader {
 public:
  explicit BenchReader(const PlannedBench& plan) : plan_(plan) {
    found_.cases.resize(plan.cases.size());
  }

  Result<RecordedBench> read(std::string_view text) && {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return wrong("the last line of events.jsonl is cut off");
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end + 1);
      const std::string place = "events.jsonl line " + std::to_string(chain_.lines() + 1);
      const json root = PYBOX_TRY_CONTEXT(parse_json(line), place);
      auto read = read_line(root);
      if (!read) return std::move(read).error().as(ErrorKind::Evidence).context(place);
      PYBOX_TRY(check_form(line, place));
      chain_.passed(line);
    }
    PYBOX_TRY(check_end());
    found_.lines = chain_.lines();
    return std::move(found_);
  }

 private:
  Result<void> read_line(const json& root) {
    JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
    const std::uint64_t before = chain_.at_us();
    const std::string event = PYBOX_TRY(chain_.fit(fields));
    if (closed_) return wrong("comes after the end of the bench");
    const std::string utc = root["utc"].get<std::string>();
    if (event == "bench-started") {
      found_.first_utc = found_.last_utc = utc;
      PYBOX_TRY(read_start(fields, root));
    } else if (event == "bench-ended") {
      found_.last_utc = utc;
      found_.complete = PYBOX_TRY(fields.flag("complete"));
      closed_ = true;
    } else {
      PYBOX_TRY(read_of_case(fields, root, event, before));
    }
    return fields.finish();
  }

  Result<void> read_start(JsonFields& fields, const json& root) {
    PYBOX_TRY(fields.text("id", 64));
    PYBOX_TRY(fields.text("plan_sha256", 64));
    PYBOX_TRY(fields.object("environment"));
    PYBOX_TRY(fields.object("tools"));
    found_.started = root.dump();
    return {};
  }

  Result<void> read_of_case(JsonFields& fields, const json& root, const std::string& event,
                            std::uint64_t before) {
    const std::string name = PYBOX_TRY(fields.text("case"));
    if (event == "case-started") {
      if (next_ == plan_.cases.size() || plan_.cases[next_].name != name || is_open())
        return wrong("starts a case that was not planned, or not here: " + visible(name));
      found_.cases[next_++].load_before = PYBOX_TRY(fields.text("load", 64));
      return {};
    }
    if (!is_open() || plan_.cases[next_ - 1].name != name)
      return wrong("is about a case that is not being timed: " + visible(name));
    Recorded& record = found_.cases[next_ - 1];
    if (event == "pair") return read_pair(fields, record, before);
    if (event == "run-failed") {
      found_.failure = name + ": " + PYBOX_TRY(fields.text("why", kLongestText));
      return {};
    }
    if (event != "case-ended") return wrong("is not a known event: " + visible(event));
    record.load_after = PYBOX_TRY(fields.text("load", 64));
    PYBOX_TRY(fields.object("box"));
    record.box = root["box"].dump();
    record.ended = true;
    return {};
  }

  Result<void> read_pair(JsonFields& fields, Recorded& record, std::uint64_t before) {
    const std::uint64_t number = PYBOX_TRY(fields.count("number"));
    if (number != record.pairs + 1)
      return wrong("is not the next pair of its case: one is missing or too many");
    if (number > plan_.warm_up + plan_.runs) return wrong("is a pair more than was planned");
    const bool warm_up = PYBOX_TRY(fields.flag("warm_up"));
    if (warm_up != (number <= plan_.warm_up))
      return wrong("belongs to the warm-up or does not, otherwise than planned");
    const std::string first = PYBOX_TRY(fields.text("first"));
    if (first != (sealed_goes_first(plan_.seed, next_ - 1, number - 1) ? "sealed" : "bare"))
      return wrong("was run in another order than the plan's seed gives");
    const auto bare = static_cast<std::int64_t>(PYBOX_TRY(fields.count("bare_ns")));
    const auto sealed = static_cast<std::int64_t>(PYBOX_TRY(fields.count("sealed_ns")));
    if (bare == 0 || sealed == 0) return wrong("has a run that took no time");
    // Both ran since the line before was written; times of lines are whole microseconds.
    if (bare + sealed > static_cast<std::int64_t>(chain_.at_us() - before + 1) * 1000)
      return wrong("says that its runs took longer than there was time");
    ++record.pairs;
    if (warm_up) return {};
    record.bare.push_back(bare);
    record.sealed.push_back(sealed);
    return {};
  }

  Result<void> check_end() const {
    if (chain_.lines() == 0) return wrong("events.jsonl is empty");
    if (!found_.complete) return {};
    for (const Recorded& record : found_.cases) {
      if (!record.ended || record.pairs != plan_.warm_up + plan_.runs)
        return wrong("events.jsonl ends as complete, but pairs that were planned are missing");
    }
    if (!found_.failure.empty()) return wrong("events.jsonl ends as complete, but a run failed");
    return {};
  }

  bool is_open() const { return next_ > 0 && !found_.cases[next_ - 1].ended; }

  const PlannedBench& plan_;
  Chain chain_{"bench-started", ""};
  std::size_t next_ = 0;  ///< the case that has not started yet
  RecordedBench found_;
  bool closed_ = false;
};

}  // namespace

Result<PlannedBench> read_bench_plan(std::string_view text) {
  const json root = PYBOX_TRY_CONTEXT(parse_json(text), "plan.json");
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, "plan"));
  PYBOX_TRY(fields.count("schema_version", 1));
  PYBOX_TRY(fields.text("created", 64));
  PlannedBench plan;
  plan.id = PYBOX_TRY(fields.text("id", 64));
  plan.runs = PYBOX_TRY(fields.count("runs", 1'000'000));
  plan.warm_up = PYBOX_TRY(fields.count("warm_up", 1'000'000));
  plan.think_ms = PYBOX_TRY(fields.count("think_ms", 1'000'000));
  plan.seed = PYBOX_TRY(fields.count("seed"));
  std::set<std::string> names;
  for (const json* item : PYBOX_TRY(fields.list("cases", 1000))) {
    JsonFields each = PYBOX_TRY(JsonFields::of(*item, "plan.cases"));
    PlannedCase planned;
    planned.name = PYBOX_TRY(each.text("case"));
    planned.engine = PYBOX_TRY(each.text("engine"));
    planned.image = PYBOX_TRY(each.text("image"));
    planned.image_id = PYBOX_TRY(each.text("image_id"));
    planned.program = PYBOX_TRY(each.text("program"));
    PYBOX_TRY(each.text("text", kLongestText));
    PYBOX_TRY(each.text("output", kLongestText));
    PYBOX_TRY(each.finish());
    if (!names.insert(planned.name).second)
      return wrong("plan.json has a case twice: " + visible(planned.name));
    plan.cases.push_back(std::move(planned));
  }
  PYBOX_TRY(fields.finish());
  PYBOX_TRY(check_form(text, "plan.json"));
  return plan;
}

Result<RecordedBench> read_bench_records(std::string_view events, const PlannedBench& plan) {
  return BenchReader(plan).read(events);
}

}  // namespace pybox::reports::verify
