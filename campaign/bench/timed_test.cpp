#include "campaign/bench/timed.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "campaign/bench/folder_for_tests.hpp"
#include "campaign/bench/sealed.hpp"

namespace pybox::campaign {
namespace {

TEST_CASE("trouble is told with the end of stderr, made safe to print") {
  sys::ToolResult run;
  run.status = {true, 9};
  run.err = "bad \x1b[2J\n";
  CHECK(trouble_of(run) == "it died of signal 9: bad \\x1b[2J");
  run.status = {false, 3};
  run.err.clear();
  CHECK(trouble_of(run) == "it ended with exit code 3");
  run.timed_out = true;
  CHECK(trouble_of(run) == "it did not end in time");
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
