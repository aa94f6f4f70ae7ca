#pragma once
/// A report with every field set, for the unit tests of receipt/ and cli/.

#include <string>

#include "base/digest.hpp"
#include "receipt/report.hpp"

namespace pybox {

inline CapturedStream sample_stream(std::string bytes) {
  CapturedStream stream;
  stream.bytes_total = bytes.size();
  stream.sha256 = sha256_hex(bytes);
  stream.bytes = std::move(bytes);
  return stream;
}

inline RunReport sample_report() {
  RunReport report;
  report.host = {.kernel = "6.12.0", .cgroup = "v2", .boxd_version = "0.1.0"};
  report.seal = {.verified = true,
                 .before_start = true,
                 .checks = {{"cred.caps", "0", "0", true, "/proc/PID/status CapEff"},
                            {"cg.mem", "134217728", "134217728", true, "memory.max"}}};
  report.outcome = {.observation = Observation::TargetExit,
                    .exit_code = 0,
                    .signal = std::nullopt,
                    .wall = Millis(75),
                    .deadline_fired = false,
                    .box_timer_fired = false,
                    .stop_requests = 0,
                    .out_of_memory = false,
                    .cause_established = true,
                    .evidence = {"wait status 0"},
                    .leftovers_killed = 0};
  report.kernel = {
      .source = "cgroup v2",
      .lost_samples = 0,
      .memory_peak_bytes = 13'002'342,
      .memory_peak_final = true,
      .oom_kills = 0,
      .pids_peak = 2,
      .pids_refusals = 0,
      .cpu_usage_s = 0.031337,
      .cpu_throttled_s = 0.0,
      .series = {{.at = Millis(50), .memory_bytes = 9'000'000, .pids = 2, .cpu_s = 0.02},
                 {.at = Millis(70), .memory_bytes = {}, .pids = {}, .cpu_s = {}}}};
  report.out = sample_stream("hello\n");
  report.err = sample_stream("");
  report.files.status = Files::Status::None;
  report.timing = {.queue = Nanos(0),
                   .prepare = Millis(2),
                   .seal = Millis(1),
                   .start = std::chrono::microseconds(1234),
                   .run = Millis(75),
                   .collect = Millis(1),
                   .cleanup = Millis(3),
                   .total = Millis(83)};
  report.cleanup = {.status = Cleanup::Status::Removed, .detail = "cgroup removed"};
  report.denied = {{"socket(AF_VSOCK)", 1}};
  report.notes = {"a note"};
  return report;
}

}  // namespace pybox
