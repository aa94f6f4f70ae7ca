#include "campaign/oracle/resources.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::campaign {
namespace {

const Check kResourceCheck;  // of the image stdlib: half a processor

/// A run of `wall` that used `rate` CPU seconds a second at first, from `pause` on nothing.
Record burning(double rate, Nanos pause, Nanos wall, double throttled) {
  Record record;
  record.report.emplace();
  KernelReadings& kernel = record.report->kernel;
  for (Nanos at{}; at <= wall; at += Millis(100))
    kernel.series.push_back({at, std::nullopt, 5, rate * seconds(std::min(at, pause))});
  kernel.cpu_usage_s = kernel.series.back().cpu_s;
  kernel.cpu_throttled_s = throttled;
  record.report->outcome.wall = wall;
  return record;
}

Record ended(Observation how, std::vector<std::string> evidence) {
  Record record;
  record.report.emplace();
  record.report->outcome.observation = how;
  record.report->outcome.evidence = std::move(evidence);
  return record;
}

}  // namespace

TEST_CASE("processor time is judged over the run and over every half second of it") {
  using std::chrono::seconds;
  CHECK(read_cpu(kResourceCheck, burning(0.5, seconds(3), seconds(3), 1.2)).signature ==
        "throttled");
  CHECK(read_cpu(kResourceCheck, burning(1.5, seconds(3), seconds(3), 0)).signature == "reached");
  // Well over its share for a second, well under it over the whole run.
  CHECK(read_cpu(kResourceCheck, burning(1.2, seconds(1), seconds(8), 0)).signature == "reached");
  CHECK(read_cpu(kResourceCheck, burning(0.2, seconds(3), seconds(3), 0)).signature == "idle");
}

TEST_CASE("a deadline that met the program itself is told by its wait status") {
  const std::string status = "wait status: killed by signal 9";
  CHECK(read_wait_status(kResourceCheck, ended(Observation::SupervisorKill, {status})).signature ==
        "killed");
  CHECK(read_wait_status(kResourceCheck, ended(Observation::SupervisorKill, {})).signature ==
        "reached");
  CHECK(read_wait_status(kResourceCheck, ended(Observation::TargetExit, {status})).signature ==
        "silent");
}

}  // namespace pybox::campaign
