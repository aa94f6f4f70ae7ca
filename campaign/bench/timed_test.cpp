#include "campaign/bench/timed.hpp"

#include <signal.h>
#include <catch2/catch_test_macros.hpp>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "campaign/bench/folder_for_tests.hpp"
#include "campaign/bench/sealed.hpp"
#include "sys/fd.hpp"

namespace pybox::campaign {
namespace {

TimedOrder shell(const std::string& script) {
  return {.start =
              [script](int out, int err) {
                sys::SpawnPlan plan;
                plan.program = "sh";
                plan.args = {"-c", script};
                plan.environment = {"PATH=/usr/bin:/bin"};
                plan.fds = {{out, 1}, {err, 2}};
                return sys::spawn(plan);
              },
          .patience = std::chrono::seconds(20),
          .cancel_fd = -1,
          .stop_signal = SIGTERM};
}

TEST_CASE("a timed process is measured to its end, with what it wrote") {
  const auto run = time_process(shell("sleep 0.2; echo out; echo err >&2"));
  REQUIRE(run.has_value());
  CHECK(run->ended_well());
  CHECK(run->took >= Millis(200));
  CHECK(run->took < std::chrono::seconds(15));
  CHECK(run->out == "out\n");
  CHECK(run->err == "err\n");
}

TEST_CASE("a process that fills its pipes does not wait for us") {
  const auto run = time_process(shell("head -c 3000000 /dev/zero; exit 3"));
  REQUIRE(run.has_value());
  CHECK_FALSE(run->ended_well());
  CHECK(run->out.size() == 65536);
  CHECK(trouble_of(*run) == "it ended with exit code 3");
}

TEST_CASE("one that takes too long is told to stop, and is not a sample") {
  TimedOrder order = shell("trap 'echo told; exit 0' TERM; while :; do sleep 0.01; done");
  order.patience = Millis(500);
  const auto run = time_process(order);
  REQUIRE(run.has_value());
  CHECK(run->timed_out);
  CHECK_FALSE(run->ended_well());
  CHECK(run->out == "told\n");
  CHECK(trouble_of(*run) == "it did not end in time");
}

TEST_CASE("a cancelled one is told to stop at once") {
  sys::Pipe pipe = sys::make_pipe().value();
  TimedOrder order = shell("exec sleep 20");
  order.cancel_fd = pipe.read.get();
  pipe.write.reset();
  const Nanos began = monotonic_now();
  const auto run = time_process(order);
  REQUIRE(run.has_value());
  CHECK(run->cancelled);
  CHECK(monotonic_now() - began < std::chrono::seconds(10));
}

TEST_CASE("trouble is told with the end of stderr, made safe to print") {
  TimedRun run;
  run.status = {true, 9};
  run.err = "bad \x1b[2J\n";
  CHECK(trouble_of(run) == "it died of signal 9: bad \\x1b[2J");
}

Receipt good_receipt(const BenchCasePlan& plan) {
  Receipt receipt;
  receipt.request.engine = plan.engine;
  receipt.request.image = plan.image;
  receipt.image_id = plan.image_id;
  receipt.code_sha256 = sha256_hex(plan.text);
  RunReport& report = receipt.report;
  report.outcome.observation = Observation::TargetExit;
  report.outcome.exit_code = 0;
  report.seal = {.verified = true, .before_start = true, .checks = {SealCheck{}}};
  report.cleanup.status = Cleanup::Status::Removed;
  report.out.sha256 = sha256_hex(plan.output);
  return receipt;
}

TEST_CASE("a run is a sample only when its receipt says all of it") {
  const BenchCasePlan plan = sample_plan().cases.front();
  CHECK(why_no_sample(good_receipt(plan), plan).empty());
  const auto refused = [&](const std::function<void(Receipt&)>& change) {
    Receipt receipt = good_receipt(plan);
    change(receipt);
    return why_no_sample(receipt, plan);
  };
  const std::string not_sealed = "its seal was not verified before the program started";
  CHECK(refused([](Receipt& r) { r.report.seal.verified = false; }) == not_sealed);
  CHECK(refused([](Receipt& r) { r.report.seal.before_start = false; }) == not_sealed);
  CHECK(refused([](Receipt& r) { r.report.seal.checks.clear(); }) == not_sealed);
  CHECK(refused([](Receipt& r) { r.report.outcome.exit_code = 1; }) ==
        "its receipt says TARGET_EXIT_OBSERVED");
  CHECK(refused([](Receipt& r) { r.report.outcome.observation = Observation::BoxLost; }) ==
        "its receipt says BOX_LOST");
  CHECK(refused([](Receipt& r) { r.report.cleanup.status = Cleanup::Status::Unconfirmed; }) ==
        "its box is not known to be gone");
  CHECK(refused([](Receipt& r) { r.report.out.sha256 = sha256_hex("x"); }) ==
        "its receipt has another output");
  CHECK(refused([](Receipt& r) { r.image_id = "sha256:other"; }) ==
        "the image has changed since the plan was signed");
  CHECK(refused([](Receipt& r) { r.code_sha256.clear(); }) == "its receipt is of another program");
  CHECK(refused([](Receipt& r) { r.request.engine = EngineKind::Vm; }) ==
        "its receipt is of another engine or image");
}

}  // namespace
}  // namespace pybox::campaign
