#include "campaign/bench/figures.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "campaign/bench/event.hpp"
#include "campaign/bench/statistics.hpp"

namespace pybox::campaign {
namespace {

using Kind = BenchEventKind;

Error bad(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

/// The pairs of one case that count, column by column.
struct Columns {
  std::vector<std::int64_t> bare, sealed, added, ratio;

  void add(const PairSample& pair) {
    bare.push_back(pair.bare.count());
    sealed.push_back(pair.sealed.count());
    added.push_back((pair.sealed - pair.bare).count());
    ratio.push_back(thousandths(pair.sealed.count(), pair.bare.count()));
  }
};

/// Goes through the events once.
class Collector {
 public:
  explicit Collector(const BenchPlan& plan) : plan_(plan) {}

  Result<void> take(const BenchEvent& event) {
    if (event.kind == Kind::Started || event.kind == Kind::Ended) return take_frame(event);
    const bool planned = std::any_of(plan_.cases.begin(), plan_.cases.end(),
                                     [&](const auto& each) { return each.name == event.name; });
    if (!planned) return bad("events.jsonl speaks of a case that was not planned");
    if (event.kind == Kind::CaseStarted) {
      load_before_ = event.load;
      columns_ = {};
    } else if (event.kind == Kind::Pair && !event.pair.warm_up) {
      columns_.add(event.pair);
    } else if (event.kind == Kind::RunFailed) {
      bench_.failure = event.name + ": " + event.why;
    } else if (event.kind == Kind::CaseEnded) {
      end_case(event);
    }
    return {};
  }

  Bench finish() && { return std::move(bench_); }

 private:
  Result<void> take_frame(const BenchEvent& event) {
    bench_.ended = event.head.utc;
    if (event.kind == Kind::Ended) {
      bench_.complete = event.complete;
      return {};
    }
    bench_.id = event.id;
    bench_.started = event.head.utc;
    bench_.plan_sha256 = event.plan_sha256;
    bench_.environment = event.environment;
    bench_.tools = event.tools;
    return {};
  }

  void end_case(const BenchEvent& event) {
    if (columns_.bare.empty()) return;
    const auto plan = std::find_if(plan_.cases.begin(), plan_.cases.end(),
                                   [&](const auto& each) { return each.name == event.name; });
    BenchCase done;
    done.name = plan->name;
    done.engine = name_of(plan->engine);
    done.image = plan->image;
    done.image_id = plan->image_id;
    done.program = plan->program;
    done.box = event.box;
    done.load_before = load_before_;
    done.load_after = event.load;
    done.pairs = columns_.bare.size();
    done.bare = spread_of(columns_.bare);
    done.sealed = spread_of(columns_.sealed);
    done.added = middle_of(columns_.added);
    done.ratio = middle_of(columns_.ratio);
    bench_.cases.push_back(std::move(done));
  }

  const BenchPlan& plan_;
  Bench bench_;
  std::string load_before_;
  Columns columns_;
};

}  // namespace

Result<Bench> figures_of(std::string_view plan_text, std::string_view events_text) {
  const BenchPlan plan = PYBOX_TRY(bench_plan_from_json(plan_text));
  const std::vector<BenchEvent> events = PYBOX_TRY(read_bench_events(events_text));
  if (events.empty() || events.front().kind != Kind::Started || events.front().id != plan.id ||
      events.front().plan_sha256 != sha256_hex(plan_text))
    return bad("events.jsonl does not begin with the plan beside it");
  Collector collector(plan);
  for (const BenchEvent& event : events) PYBOX_TRY(collector.take(event));
  Bench bench = std::move(collector).finish();
  bench.runs = plan.runs;
  bench.warm_up = plan.warm_up;
  bench.think_ms = static_cast<std::uint64_t>(plan.think.count());
  bench.events_sha256 = sha256_hex(events_text);
  return bench;
}

}  // namespace pybox::campaign
