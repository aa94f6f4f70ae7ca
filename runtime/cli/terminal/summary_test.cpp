#include "cli/terminal/summary.hpp"

#include <catch2/catch_test_macros.hpp>

#include "cli/terminal/golden_for_tests.hpp"
#include "receipt/sample_for_tests.hpp"

namespace pybox::cli {
namespace {

Receipt sample_receipt() {
  Receipt receipt;
  receipt.receipt_id = "9f86d081884c7d659a2feaa0";
  receipt.created_at = "2026-11-29T12:34:56.789Z";
  receipt.request.limits = limits_for_image("stdlib");
  receipt.image_id = "sha256:" + sha256_hex("image");
  receipt.accelerator = "tcg";
  receipt.report = sample_report();
  return receipt;
}

void check_summary(Receipt receipt, const std::string& name) {
  add_hints(receipt);
  check_golden("runtime/cli/golden/summary_" + name + ".txt", summary_text(receipt, false));
}

}  // namespace

TEST_CASE("the summary of a run that ended by itself") { check_summary(sample_receipt(), "exit"); }

TEST_CASE("the summary of a run that met its time limit") {
  Receipt receipt = sample_receipt();
  receipt.report.outcome.observation = Observation::SupervisorKill;
  receipt.report.outcome.exit_code = 137;
  receipt.report.outcome.signal = 9;
  receipt.report.outcome.wall = Millis(2003);
  check_summary(receipt, "deadline");
}

TEST_CASE("the summary of a run whose child died of memory") {
  Receipt receipt = sample_receipt();
  receipt.report.outcome.out_of_memory = true;
  receipt.report.kernel.oom_kills = 1;
  receipt.report.kernel.memory_peak_bytes = (128_MiB).count;
  receipt.report.kernel.pids_refusals = 6;
  receipt.report.kernel.pids_peak = 32;
  check_summary(receipt, "limits");
}

TEST_CASE("the summary says what is not known, not verified and not confirmed") {
  Receipt receipt = sample_receipt();
  receipt.report = RunReport{};
  receipt.report.outcome.observation = Observation::BoxLost;
  receipt.report.cleanup.status = Cleanup::Status::Unconfirmed;
  check_summary(receipt, "lost");
}

TEST_CASE("the summary of a run with files") {
  Receipt receipt = sample_receipt();
  receipt.request.engine = EngineKind::Native;
  receipt.accelerator.reset();
  receipt.report.kernel.memory_peak_final = false;
  receipt.report.files.status = Files::Status::Received;
  receipt.report.files.returned = {{"a", 100, "", ""}, {"b", 2000, "", ""}};
  receipt.report.files.omitted_total = 3;
  check_summary(receipt, "files");
}

TEST_CASE("every way to end has its own words") {
  RunReport report;
  const auto words = [&](Observation observation, std::optional<int> code = std::nullopt,
                         std::optional<int> signal = std::nullopt) {
    report.outcome.observation = observation;
    report.outcome.exit_code = code;
    report.outcome.signal = signal;
    return ending(report);
  };
  CHECK(words(Observation::TargetExit, 3) == "ended by itself, exit code 3");
  CHECK(words(Observation::TargetExit, 139, 11) == "died of its own signal 11 (SIGSEGV)");
  CHECK(words(Observation::TargetExit, 168, 40) == "died of its own signal 40");
  CHECK(words(Observation::SupervisorKill) == "stopped at its time limit");
  CHECK(words(Observation::BoxTimerKill) == "stopped by the box timer");
  CHECK(words(Observation::OutOfMemoryKill) == "killed for memory");
  CHECK(words(Observation::CancelKill) == "cancelled");
  CHECK(words(Observation::BoxLost) == "box lost, how the program ended is unknown");
  CHECK(words(Observation::NotStarted) == "not started");
}

TEST_CASE("the summary says where files went, safe for a terminal") {
  Receipt receipt = sample_receipt();
  receipt.report.files.status = Files::Status::Received;
  receipt.report.files.returned = {{"a", 2, "", ""}};
  CHECK(summary_text(receipt, false, "o\x1b[2J")
            .find("  files      1 file back, 2 B, in o\\x1b[2J\n") != std::string::npos);
}

TEST_CASE("nothing the program says reaches the summary") {
  Receipt receipt = sample_receipt();
  const std::string before = summary_text(receipt, false);
  receipt.report.out = sample_stream("pybox: FORGED");
  receipt.report.files.returned = {{"FORGED", 1, "FORGED", "FORGED"}};
  receipt.report.files.omitted = {{"FORGED", 1, "FORGED"}};
  receipt.report.notes = {"FORGED"};
  receipt.report.seal.checks[0].observed = "FORGED";
  receipt.report.outcome.evidence = {"FORGED"};
  CHECK(summary_text(receipt, false) == before);
}

TEST_CASE("colour changes nothing but colour") {
  const std::string coloured = summary_text(sample_receipt(), true);
  std::string plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') {
      i = coloured.find('m', i);
    } else {
      plain += coloured[i];
    }
  }
  CHECK(plain == summary_text(sample_receipt(), false));
  CHECK(coloured != plain);
}

}  // namespace pybox::cli
