#include "campaign/oracle/recorded_runs.hpp"

#include <catch2/catch_test_macros.hpp>

#include "campaign/oracle/oracle.hpp"

namespace pybox::campaign {
namespace {

const std::string kNonce(32, 'a');

/// One run as the driver tells it, of a program that said hello.
std::string hello_run(const std::string& exit_code = "0") {
  return R"({"exit":)" + exit_code +
         R"(,"timeout_s":2,"verified":true,"before_start":true,"trust":"untrusted","cleanup":"REMOVED",)"
         R"("outcome":{"observation":"TARGET_EXIT_OBSERVED","exit_code":)" +
         exit_code +
         R"(,"signal":null,"deadline_fired":false,"out_of_memory":false},)"
         R"("stdout":{"text":"hello inspection\n"}})";
}

Record driver_record(const std::string& runs, const std::string& signature = "ran") {
  Record record;
  record.nonce = kNonce;
  record.out = R"({"nonce":")" + kNonce + R"(","signature":")" + signature +
               R"(","proof":null,"detail":{"runs":)" + runs + "}}\n";
  return record;
}

Record probe_record(const std::string& signature, const std::string& proof = "") {
  Record record;
  record.nonce = kNonce;
  record.canary = std::string(32, 'b');
  record.out = R"({"nonce":")" + kNonce + R"(","signature":")" + signature + R"(","proof":")" +
               proof + "\"}\n";
  record.report.emplace();
  record.report->outcome.observation = Observation::TargetExit;
  record.report->outcome.exit_code = 0;
  record.report->outcome.out_of_memory = false;
  record.report->seal.verified = record.report->seal.before_start = true;
  return record;
}

}  // namespace

TEST_CASE("a recorded run is as recorded only when every pass is") {
  const Check check;
  CHECK(read_recorded_hello(check, driver_record("[" + hello_run() + "]")).signature ==
        "as-recorded");
  const Reading other =
      read_recorded_hello(check, driver_record("[" + hello_run() + "," + hello_run("3") + "]"));
  CHECK(other.signature == "reached");
  CHECK(other.why == "pass 2: outcome/exit_code is 3, not 0");
}

TEST_CASE("a driver that made no run is not an answer to a recorded run") {
  const Check check;
  CHECK(read_recorded_hello(check, driver_record("[]")).signature == "malformed");
  CHECK(read_recorded_hello(check, driver_record("7")).signature == "malformed");
  CHECK(read_recorded_hello(check, driver_record("[7]")).signature == "reached");
  CHECK(read_recorded_hello(check, driver_record("[{}]")).signature == "reached");
  CHECK(read_recorded_hello(check, driver_record("[" + hello_run() + "]", "no-run")).signature ==
        "no-run");
  Record silent = driver_record("[" + hello_run() + "]");
  silent.nonce = std::string(32, 'c');
  CHECK(read_recorded_hello(check, silent).signature == "silent");
}

TEST_CASE("each row of receipts tells its own story from the others'") {
  const Check check;
  const Record hello = driver_record("[" + hello_run() + "]");
  for (const char* const name :
       {"recorded-traceback", "recorded-deadline", "recorded-force-killed", "recorded-message"}) {
    const Oracle* const oracle = find_oracle(name);
    REQUIRE(oracle != nullptr);
    CHECK(oracle->read(check, hello).signature == "reached");
  }
  const Record quiet = driver_record(R"([{"forged_messages":0,"in_output":true}])");
  CHECK(read_recorded_message(check, quiet).signature == "as-recorded");
  const Record forged = driver_record(R"([{"forged_messages":1,"in_output":true}])");
  CHECK(read_recorded_message(check, forged).signature == "reached");
}

TEST_CASE("a killed child must be counted, and one that lived must have gone past the limit") {
  const Check check;
  Record record = probe_record("killed");
  CHECK(read_recorded_memory(check, record).signature == "untold");
  record.report->outcome.out_of_memory = true;
  record.report->kernel.oom_kills = 1;
  CHECK(read_recorded_memory(check, record).signature == "as-recorded");
  record.report->outcome.observation = Observation::OutOfMemoryKill;
  CHECK(read_recorded_memory(check, record).signature == "untold");
  Record lived = probe_record("reached");
  lived.report->kernel.memory_peak_bytes = 100 << 20;
  CHECK(read_recorded_memory(check, lived).signature == "unproven");
  lived.report->kernel.memory_peak_bytes = 170 << 20;
  CHECK(read_recorded_memory(check, lived).signature == "reached");
}

TEST_CASE("refused processes must be counted, and started ones must go past the limit") {
  const Check check;
  Record record = probe_record("EAGAIN");
  CHECK(read_recorded_processes(check, record).signature == "untold");
  record.report->kernel.pids_refusals = 6;
  record.report->kernel.pids_peak = 32;
  CHECK(read_recorded_processes(check, record).signature == "as-recorded");
  record.report->kernel.pids_peak = 33;
  CHECK(read_recorded_processes(check, record).signature == "untold");
  Record free = probe_record("reached");
  free.report->kernel.pids_refusals = 0;
  free.report->kernel.pids_peak = 20;
  CHECK(read_recorded_processes(check, free).signature == "unproven");
  free.report->kernel.pids_peak = 37;
  CHECK(read_recorded_processes(check, free).signature == "reached");
}

TEST_CASE("nothing from outside may stand anywhere in the output") {
  Check check;
  check.needs_canary = true;
  Record record = probe_record("ENOENT");
  CHECK(read_recorded_outside(check, record).signature == "as-recorded");
  record.report->seal.verified = false;
  CHECK(read_recorded_outside(check, record).signature == "untold");
  record.report->seal.verified = true;
  record.out = "stray " + record.canary + "\n" + record.out;
  CHECK(read_recorded_outside(check, record).signature == "reached");
  CHECK(read_recorded_outside(check, probe_record("reached", std::string(32, 'b') + ":env"))
            .signature == "reached");
  CHECK(read_recorded_outside(check, probe_record("reached", "made up")).signature == "unproven");
}

}  // namespace pybox::campaign
