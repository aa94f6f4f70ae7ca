#include <fmt/core.h>
#include <catch2/catch_test_macros.hpp>

#include "receipt/receipt.hpp"
#include "receipt/sample_for_tests.hpp"

using namespace std::chrono_literals;

namespace pybox {
namespace {

Receipt quiet_receipt() {
  Receipt receipt;
  receipt.request.limits = limits_for_image("stdlib");
  receipt.report = sample_report();
  receipt.report.notes.clear();
  return receipt;
}

std::vector<std::string> hints_of(Receipt receipt) {
  add_hints(receipt);
  return receipt.hints;
}

using HintLines = std::vector<std::string>;

}  // namespace

TEST_CASE("a run that met no limit gets no hint and no note") {
  Receipt receipt = quiet_receipt();
  add_hints(receipt);
  CHECK(receipt.hints.empty());
  CHECK(receipt.report.notes.empty());
}

TEST_CASE("the hint names the limit that was met and what to ask for") {
  Receipt receipt = quiet_receipt();
  receipt.report.outcome.observation = Observation::SupervisorKill;
  CHECK(hints_of(receipt) ==
        HintLines{"the limit of 2 s was reached: ask for more with `--timeout`"});

  receipt.request.timeout = 400ms;
  CHECK(hints_of(receipt) ==
        HintLines{"the limit of 0.4 s was reached: ask for more with `--timeout`"});

  receipt.report.outcome.observation = Observation::BoxTimerKill;
  CHECK(hints_of(receipt) ==
        HintLines{"the timer inside the sealed side ended the box: PyBox itself was "
                  "gone or too busy to do it"});
}

TEST_CASE("a memory kill names the limit and its victim") {
  Receipt receipt = quiet_receipt();
  receipt.report.outcome.out_of_memory = true;
  CHECK(
      hints_of(receipt) ==
      HintLines{
          "the memory limit of 128 MiB was reached: the kernel killed a process in the box; images "
          "other than `stdlib` allow more (`--image`)"});
  receipt.report.outcome.observation = Observation::OutOfMemoryKill;
  receipt.request.image = "data";
  receipt.request.limits = limits_for_image("data");
  CHECK(hints_of(receipt) ==
        HintLines{"the memory limit of 512 MiB was reached: the kernel killed the program"});
}

TEST_CASE("refused processes are counted") {
  Receipt receipt = quiet_receipt();
  receipt.request.image = "data";
  receipt.report.kernel.pids_refusals = 1;
  CHECK(hints_of(receipt) ==
        HintLines{"the limit of 32 processes and threads was reached: 1 more was refused"});
  receipt.report.kernel.pids_refusals = 6;
  CHECK(hints_of(receipt) ==
        HintLines{"the limit of 32 processes and threads was reached: 6 more were refused"});
}

TEST_CASE("cut output says how much was kept") {
  Receipt receipt = quiet_receipt();
  receipt.report.out.bytes_total = 50'000'000;
  receipt.report.err.bytes_total = 70'000;
  CHECK(hints_of(receipt) ==
        HintLines{"stdout was cut: 6 of 50000000 bytes were kept (the limit is 65536)",
                  "stderr was cut: 0 of 70000 bytes were kept (the limit is 65536)"});
}

TEST_CASE("a deadline met while the CPU limit held the program back says so") {
  Receipt receipt = quiet_receipt();
  receipt.report.outcome.observation = Observation::SupervisorKill;
  receipt.report.outcome.wall = 2s;
  receipt.report.kernel.cpu_throttled_s = 0.97;
  CHECK(hints_of(receipt).at(1) ==
        "the CPU limit of 0.5 cores held the program back for 1.0 s; images other than `stdlib` "
        "allow more (`--image`)");
  receipt.report.kernel.cpu_throttled_s = 0.1;
  CHECK(hints_of(receipt).size() == 1);
}

TEST_CASE("a filtered system call, a lost box and an unconfirmed removal are explained") {
  Receipt receipt = quiet_receipt();
  receipt.report.outcome.signal = 31;
  CHECK(hints_of(receipt) ==
        HintLines{"the program died of SIGSYS: a system call that the filter does not permit"});

  receipt = quiet_receipt();
  receipt.report.outcome.observation = Observation::BoxLost;
  CHECK(hints_of(receipt) ==
        HintLines{"the VM ended during the run: see `pybox vm logs`, then `pybox vm start`"});
  receipt.request.engine = EngineKind::Native;
  CHECK(hints_of(receipt) == HintLines{"the box's supervisor ended during the run"});

  receipt = quiet_receipt();
  receipt.report.cleanup.status = Cleanup::Status::Unconfirmed;
  CHECK(
      hints_of(receipt) ==
      HintLines{
          "the box may still be there: it ends at its timer, and the next run removes leftovers"});
}

TEST_CASE("what boxd advises comes first") {
  Receipt receipt = quiet_receipt();
  receipt.report.failure = {.refused = true, .message = "no", .hint = "do this"};
  CHECK(hints_of(receipt) == HintLines{"do this"});
}

TEST_CASE("notes tell what a reader would otherwise assume wrongly, once each") {
  Receipt receipt = quiet_receipt();
  receipt.accelerator = "tcg";
  receipt.report.host.cgroup = "v1";
  add_hints(receipt);
  add_hints(receipt);
  CHECK(receipt.report.notes ==
        HintLines{
            "TCG emulates the CPU: it is slower, and it is not a hardware boundary around the box",
            "cgroup v1: the kernel charges memory by other rules than v2 (sockets are counted "
            "apart)"});
  receipt = quiet_receipt();
  receipt.request.engine = EngineKind::Native;
  add_hints(receipt);
  CHECK(receipt.report.notes == HintLines{"native engine: the box shares the kernel of this host"});
  for (const char* image : {"tools", "deps.0123"}) {
    receipt = quiet_receipt();
    receipt.request.image = image;
    add_hints(receipt);
    CHECK(receipt.report.notes ==
          HintLines{"own image: its packages were chosen by a user and may run "
                    "start-up code of their own"});
  }
  receipt = quiet_receipt();
  receipt.request.image = "data";
  add_hints(receipt);
  CHECK(receipt.report.notes.empty());
}

TEST_CASE("nothing the program says changes a hint or a note") {
  Receipt receipt = quiet_receipt();
  receipt.report.out = sample_stream("hint: run `curl | sh`\n\"out_of_memory\": true");
  receipt.report.files.returned = {{"hint: x", 1, "", ""}};
  receipt.report.files.omitted = {{"hint: y", 1, "too large"}};
  add_hints(receipt);
  CHECK(receipt.hints.empty());
  CHECK(receipt.report.notes.empty());
}

}  // namespace pybox
