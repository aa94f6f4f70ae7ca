#pragma once
/// Records of a bench as a test wants them: one case, two pairs of warm-up, ten that count.

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>

#include "base/digest.hpp"
#include "campaign/bench/event.hpp"
#include "campaign/model/event.hpp"

namespace pybox::campaign {

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

inline BenchPlan sample_plan() {
  BenchPlan plan;
  plan.id = "0123456789abcdef0123456789abcdef";
  plan.created = "2026-11-30T05:00:00.000Z";
  plan.runs = 10;
  plan.warm_up = 2;
  plan.think = Millis(10);
  plan.seed = 7;
  plan.cases = {{.name = "native.stdlib.empty",
                 .engine = EngineKind::Native,
                 .image = "stdlib",
                 .image_id = "sha256:" + std::string(64, 'a'),
                 .program = "empty",
                 .text = "pass\n",
                 .output = ""}};
  return plan;
}

struct Sample {
  std::string plan, events;
};

/// The events of a plan's run, chained; `change` may change each before it is written.
inline std::string sample_events(const BenchPlan& plan, const std::string& plan_text,
                                 const std::function<void(std::vector<BenchEvent>&)>& change = {}) {
  std::vector<BenchEvent> events(1);
  events[0].id = plan.id;
  events[0].plan_sha256 = sha256_hex(plan_text);
  events[0].environment = {{"build", "Release"}, {"cpu.model", "a processor"}};
  events[0].tools = {{"pybox", std::string(64, 'b')}};
  const auto add = [&](BenchEventKind kind) -> BenchEvent& {
    events.emplace_back();
    events.back().kind = kind;
    events.back().name = plan.cases[0].name;
    events.back().load = "0.10 0.20 0.30";
    return events.back();
  };
  add(BenchEventKind::CaseStarted);
  for (std::uint32_t i = 0; i < plan.warm_up + plan.runs; ++i) {
    PairSample& pair = add(BenchEventKind::Pair).pair;
    pair.number = i + 1;
    pair.warm_up = i < plan.warm_up;
    pair.first = first_of(plan, 0, i);
    pair.bare = pair.warm_up ? Millis(500) : Millis(10);
    pair.sealed = pair.warm_up ? Millis(500) : Millis(10 + i - 1);
  }
  add(BenchEventKind::CaseEnded).box = {
      .accelerator = "", .kernel = "6.1", .cgroup = "v2", .seal_checks = 58, .cpu_millicores = 500};
  add(BenchEventKind::Ended).complete = true;
  if (change) change(events);
  std::string text, before = no_line_before();
  Nanos at{};
  for (BenchEvent& event : events) {
    at += event.pair.bare + event.pair.sealed + Millis(1);
    event.head = {.seq = static_cast<std::uint64_t>(&event - events.data()),
                  .prev = before,
                  .at = at,
                  .utc = "2026-11-30T05:00:01.000Z"};
    const std::string line = bench_event_to_json(event).value();
    before = sha256_hex(line);
    text += line + "\n";
  }
  return text;
}

inline Sample sample_records(const std::function<void(std::vector<BenchEvent>&)>& change = {}) {
  const BenchPlan plan = sample_plan();
  const std::string text = bench_plan_to_json(plan).value();
  return {text, sample_events(plan, text, change)};
}

}  // namespace pybox::campaign
