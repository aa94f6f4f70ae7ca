#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "campaign/bench/event.hpp"
#include "campaign/model/event.hpp"
#include "campaign/model/shared_json.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;
using Kind = BenchEventKind;

constexpr std::array<std::pair<Kind, std::string_view>, 6> kKinds = {{
    {Kind::Started, "bench-started"},
    {Kind::CaseStarted, "case-started"},
    {Kind::Pair, "pair"},
    {Kind::CaseEnded, "case-ended"},
    {Kind::RunFailed, "run-failed"},
    {Kind::Ended, "bench-ended"},
}};

constexpr std::size_t kLongest = 16384;
/// 104 days: below 2^53.
constexpr std::uint64_t kMostNanos = 9'000'000'000'000'000;
constexpr std::uint64_t kMostNumber = 1'000'000;

Result<Nanos> read_nanos(JsonFields& fields, std::string_view key) {
  return Nanos(static_cast<std::int64_t>(PYBOX_TRY(fields.count(key, kMostNanos))));
}

json pair_json(const BenchEvent& event) {
  const PairSample& pair = event.pair;
  return {{"case", event.name},           {"number", pair.number},
          {"warm_up", pair.warm_up},      {"first", pair.first == First::Bare ? "bare" : "sealed"},
          {"bare_ns", pair.bare.count()}, {"sealed_ns", pair.sealed.count()}};
}

json ended_case_json(const BenchEvent& event) {
  const BoxFacts& box = event.box;
  return {{"case", event.name},
          {"load", event.load},
          {"box",
           {{"accelerator", box.accelerator.empty() ? json() : json(box.accelerator)},
            {"kernel", safe_text(box.kernel)},
            {"cgroup", box.cgroup},
            {"seal_checks", box.seal_checks},
            {"cpu_millicores", box.cpu_millicores}}}};
}

json body_json(const BenchEvent& event) {
  switch (event.kind) {
    case Kind::Started:
      return {{"id", event.id},
              {"plan_sha256", event.plan_sha256},
              {"environment", facts_json(event.environment)},
              {"tools", event.tools}};
    case Kind::CaseStarted: return {{"case", event.name}, {"load", event.load}};
    case Kind::Pair: return pair_json(event);
    case Kind::CaseEnded: return ended_case_json(event);
    case Kind::RunFailed: {
      const std::string_view why = std::string_view(event.why).substr(0, kLongest);
      return {{"case", event.name}, {"why", safe_text(cut_at_character(why))}};
    }
    case Kind::Ended: return {{"complete", event.complete}};
  }
  return json::object();
}

Result<void> read_pair(JsonFields& fields, PairSample& pair) {
  pair.number = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("number", kMostNumber)));
  pair.warm_up = PYBOX_TRY(fields.flag("warm_up"));
  const std::string first = PYBOX_TRY(fields.text("first", 16));
  if (first != "bare" && first != "sealed")
    return Error(ErrorKind::Evidence, "`first` is neither `bare` nor `sealed`");
  pair.first = first == "bare" ? First::Bare : First::Sealed;
  pair.bare = PYBOX_TRY(read_nanos(fields, "bare_ns"));
  pair.sealed = PYBOX_TRY(read_nanos(fields, "sealed_ns"));
  if (pair.bare <= Nanos{0} || pair.sealed <= Nanos{0})
    return Error(ErrorKind::Evidence, "a run took no time");
  return {};
}

Result<void> read_ended_case(JsonFields& fields, BenchEvent& event) {
  event.load = PYBOX_TRY(fields.text("load", 64));
  JsonFields box = PYBOX_TRY(fields.object("box"));
  event.box.accelerator = PYBOX_TRY(box.text_or_null("accelerator", 64)).value_or("");
  event.box.kernel = PYBOX_TRY(box.text("kernel", 1024));
  event.box.cgroup = PYBOX_TRY(box.text("cgroup", 16));
  event.box.seal_checks = PYBOX_TRY(box.count("seal_checks", kMostNumber));
  event.box.cpu_millicores = PYBOX_TRY(box.count("cpu_millicores", kMostNumber));
  return box.finish();
}

Result<void> read_body(JsonFields& fields, const json& root, BenchEvent& event) {
  if (event.kind == Kind::Started) {
    event.id = PYBOX_TRY(fields.text("id", 64));
    event.plan_sha256 = PYBOX_TRY(fields.text("plan_sha256", 64));
    event.environment = PYBOX_TRY(text_map_of(fields, root, "environment"));
    event.tools = PYBOX_TRY(text_map_of(fields, root, "tools"));
    return {};
  }
  if (event.kind == Kind::Ended) {
    event.complete = PYBOX_TRY(fields.flag("complete"));
    return {};
  }
  event.name = PYBOX_TRY(fields.text("case", 255));
  if (event.kind == Kind::Pair) return read_pair(fields, event.pair);
  if (event.kind == Kind::CaseEnded) return read_ended_case(fields, event);
  if (event.kind == Kind::RunFailed) {
    event.why = PYBOX_TRY(fields.text("why", 4 * kLongest));
  } else {
    event.load = PYBOX_TRY(fields.text("load", 64));
  }
  return {};
}

Result<BenchEvent> read_event(std::string_view line) {
  const json root = PYBOX_TRY(parse_json(line));
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  BenchEvent event;
  event.head = PYBOX_TRY(line_head_of(fields));
  const std::string name = PYBOX_TRY(fields.text("event", 64));
  bool known = false;
  for (const auto& [kind, each] : kKinds) {
    if (each != name) continue;
    event.kind = kind;
    known = true;
  }
  if (!known) return Error(ErrorKind::Evidence, "there is no such event");
  PYBOX_TRY(read_body(fields, root, event));
  PYBOX_TRY(fields.finish());
  return event;
}

}  // namespace

Result<std::string> bench_event_to_json(const BenchEvent& event) {
  json object = body_json(event);
  put_line_head(object, event.head);
  for (const auto& [kind, name] : kKinds) {
    if (kind == event.kind) object["event"] = name;
  }
  std::string line = PYBOX_TRY(as_line(object));
  line.pop_back();
  return line;
}

Result<std::vector<BenchEvent>> read_bench_events(std::string_view text) {
  std::vector<BenchEvent> events;
  const auto take = [&](std::string_view line) -> Result<LineHead> {
    events.push_back(PYBOX_TRY(read_event(line)));
    return events.back().head;
  };
  PYBOX_TRY(walk_lines(text, take));
  return events;
}

}  // namespace pybox::campaign
