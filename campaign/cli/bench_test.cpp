#include "campaign/bench/figures.hpp"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "base/digest.hpp"
#include "campaign/bench/event.hpp"
#include "campaign/bench/folder_for_tests.hpp"
#include "campaign/bench/workload.hpp"
#include "cli/terminal/golden_for_tests.hpp"
#include "reports/html/bench.hpp"
#include "reports/render/bench.hpp"

namespace pybox::campaign {
namespace {

TEST_CASE("a plan is read back as it was written, and nothing else is") {
  const BenchPlan plan = sample_plan();
  const std::string text = bench_plan_to_json(plan).value();
  CHECK(bench_plan_to_json(bench_plan_from_json(text).value()).value() == text);
  for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
           {"\"runs\":10", "\"runs\":-1"},
           {"\"seed\":7", "\"seed\":7,\"more\":1"},
           {"\"engine\":\"native\"", "\"engine\":\"magic\""}}) {
    const auto read = bench_plan_from_json(replaced(text, from, to));
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().kind() == ErrorKind::Evidence);
  }
}

TEST_CASE("who goes first is decided by the seed, both about equally often") {
  BenchPlan plan = sample_plan();
  int bare = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) bare += first_of(plan, 0, i) == First::Bare ? 1 : 0;
  CHECK(bare > 440);
  CHECK(bare < 560);
  std::string one, other;
  for (std::uint32_t i = 0; i < 64; ++i) {
    one += first_of(plan, 0, i) == First::Bare ? 'b' : 's';
    other += first_of(plan, 1, i) == First::Bare ? 'b' : 's';
  }
  CHECK(one != other);
}

TEST_CASE("figures are those of the pairs behind the warm-up") {
  const Sample sample = sample_records();
  const auto bench = figures_of(sample.plan, sample.events);
  REQUIRE(bench.has_value());
  REQUIRE(bench->cases.size() == 1);
  const BenchCase& each = bench->cases.front();
  // Bare runs of 10 ms, sealed ones of 11, 12, … 20 ms; the warm-up's of 500 ms are not counted.
  CHECK(each.pairs == 10);
  CHECK(each.bare.p50 == Millis(10));
  CHECK(each.sealed.p50 == Millis(15));
  CHECK_FALSE(each.sealed.p95.has_value());
  CHECK(each.added.p50 == 5'000'000);
  CHECK(each.added.low == 2'000'000);
  CHECK(each.added.high == 9'000'000);
  CHECK(each.ratio.p50 == 1500);
  CHECK(each.box.cgroup == "v2");
  CHECK(bench->complete);
  const std::string json = bench_to_json(*bench).value();
  CHECK(json.find("\"p50_ns\":15000000,\"p95_ns\":null") != std::string::npos);
}

TEST_CASE("events of another plan, out of order or torn are refused") {
  const Sample sample = sample_records();
  const auto refused = [](std::string_view plan, std::string_view events, std::string_view why) {
    const auto bench = figures_of(plan, events);
    REQUIRE_FALSE(bench.has_value());
    CHECK(bench.error().kind() == ErrorKind::Evidence);
    INFO(bench.error().message());
    CHECK(bench.error().message().find(why) != std::string::npos);
  };
  refused(replaced(sample.plan, "\"seed\":7", "\"seed\":8"), sample.events,
          "does not begin with the plan");
  refused(sample.plan, sample.events.substr(0, sample.events.size() - 5), "is torn");
  refused(sample.plan, sample.events.substr(sample.events.find('\n') + 1),
          "line 1 has the number 1");
  refused(sample.plan, replaced(sample.events, "\"bare_ns\":10000000", "\"bare_ns\":0"),
          "took no time");
  refused(sample.plan, "", "does not begin");
}

TEST_CASE("a bench that ended early says so first") {
  const Sample sample = sample_records();
  Bench bench = figures_of(sample.plan, sample.events).value();
  bench.complete = false;
  CHECK(reports::bench_notes(bench).front() == "Ended early: it was interrupted.");
  bench.failure = "x: the sealed run: \x1b[2J";
  CHECK(reports::bench_notes(bench).front() ==
        "Ended early: a run failed. x: the sealed run: \\x1b[2J");
}

TEST_CASE("the table of a bench is this") {
  const Sample sample = sample_records();
  check_golden("campaign/cli/golden/bench_table.txt",
               reports::bench_text(figures_of(sample.plan, sample.events).value()));
}

TEST_CASE("the summary of a bench is this") {
  const Sample sample = sample_records();
  check_golden("campaign/cli/golden/bench_summary.md",
               reports::bench_markdown(figures_of(sample.plan, sample.events).value()));
}

TEST_CASE("the page holds no script, and what came from elsewhere is inert in it") {
  const Sample sample = sample_records();
  Bench bench = figures_of(sample.plan, sample.events).value();
  bench.environment["cpu.model"] = "<script>alert(1)</script>";
  const std::string page = reports::bench_html(bench);
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("http:") == std::string::npos);
  CHECK(page.find("https:") == std::string::npos);
  CHECK(page.find("+5.00 ms [+2.00, +9.00]") != std::string::npos);
}

TEST_CASE("times and ratios are rounded to hundredths") {
  CHECK(reports::millis_text(Nanos(12'344'999)) == "12.34");
  CHECK(reports::millis_text(Nanos(12'345'000)) == "12.35");
  CHECK(reports::millis_text(Nanos(-5000)) == "-0.01");
  CHECK(reports::millis_text(Nanos(-4999)) == "0.00");
  CHECK(reports::ratio_text(1500) == "1.50");
  CHECK(reports::ratio_text(996) == "1.00");
}

TEST_CASE("every program that is timed has a name of its own and an end") {
  std::set<std::string> names;
  for (const Workload& each : workloads()) {
    CHECK(names.insert(std::string(each.image) + "." + std::string(each.name)).second);
    CHECK(each.text.ends_with('\n'));
  }
}

}  // namespace
}  // namespace pybox::campaign
