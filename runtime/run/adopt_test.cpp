#include "run/adopt.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "link/order.hpp"
#include "receipt/keys.hpp"
#include "receipt/pending.hpp"
#include "receipt/sample_for_tests.hpp"
#include "receipt/store.hpp"
#include "receipt/verify.hpp"
#include "sys/file.hpp"

namespace pybox::run {
namespace {

namespace fs = std::filesystem;

struct Home {
  Home() { dirs.home = fs::temp_directory_path() / ("adopt-" + random_hex(6)); }
  ~Home() { fs::remove_all(dirs.home); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  link::RunOrder order(const std::string& id) const {
    link::RunOrder made;
    made.receipt_id = id;
    made.created_at = "2026-11-29T12:34:56.789Z";
    made.image_id = "sha256:" + sha256_hex("image");
    made.code_sha256 = sha256_hex("print(1)");
    made.request.program = "print(1)";
    made.request.limits = limits_for_image("stdlib");
    made.request.inputs = {{"a.csv", "1,2\n"}};
    return made;
  }

  void leave_pending(const std::string& id, std::optional<RunReport> report) const {
    PendingRun run;
    run.order_head = link::order_head(order(id));
    if (report) {
      run.seal_head = seal_to_json(report->seal);
      run.report_head = report_to_json(*report, SealIs::ToldBefore);
    }
    run.accelerator = "tcg";
    run.vm = "shared";
    REQUIRE(keep_pending(dirs, id, run));
  }

  Receipt verified(const std::string& id) const {
    const std::string text = sys::read_file(dirs.receipts() / (id + ".json")).value();
    return verify_receipt(text, load_public_key(public_key_file(dirs)).value()).value().receipt;
  }

  sys::StateDirs dirs;
};

}  // namespace

TEST_CASE("a run whose client died gets a signed receipt with what was seen") {
  const Home home;
  RunReport report = sample_report();
  report.outcome.observation = Observation::BoxTimerKill;
  report.outcome.exit_code = 137;
  report.outcome.signal = 9;
  report.outcome.box_timer_fired = true;
  home.leave_pending("abc123", report);
  CHECK(adopt_pending(home.dirs).empty());
  const Receipt receipt = home.verified("abc123");
  CHECK(receipt.report.outcome.observation == Observation::BoxTimerKill);
  CHECK(receipt.report.outcome.stop_requests == 0U);
  CHECK(receipt.created_at == "2026-11-29T12:34:56.789Z");
  CHECK(receipt.code_sha256 == sha256_hex("print(1)"));
  CHECK(receipt.accelerator == "tcg");
  CHECK(receipt.request.limits.pids == 32);
  REQUIRE(receipt.files_in.size() == 1);
  CHECK(receipt.files_in[0].bytes == 4);
  CHECK(receipt.files_in[0].sha256.empty());
  CHECK(list_pending(home.dirs).empty());
  CHECK(list_receipts(home.dirs).size() == 1);
}

TEST_CASE("a run that was lost with its VM is a lost box") {
  const Home home;
  home.leave_pending("abc123", std::nullopt);
  CHECK(adopt_pending(home.dirs).empty());
  CHECK(home.verified("abc123").report.outcome.observation == Observation::BoxLost);
  CHECK(home.verified("abc123").report.cleanup.status == Cleanup::Status::Unconfirmed);
}

TEST_CASE("what is broken is named, set aside and reported once; the rest is adopted") {
  const Home home;
  home.leave_pending("good", sample_report());
  std::ofstream(pending_dir(home.dirs) / "bad.json") << "{";
  home.leave_pending("renamed", sample_report());
  fs::rename(pending_dir(home.dirs) / "renamed.json", pending_dir(home.dirs) / "other.json");
  const auto troubles = adopt_pending(home.dirs);
  REQUIRE(troubles.size() == 2);
  const std::string folder = pending_dir(home.dirs).string();
  CHECK(troubles[0].message().starts_with("adopting " + folder + "/bad.json: "));
  CHECK(troubles[1].message() ==
        "adopting " + folder + "/other.json: the record's name is not its receipt's id");
  CHECK(fs::exists(folder + "/bad.json.broken"));
  CHECK(home.verified("good").receipt_id == "good");
  CHECK(adopt_pending(home.dirs).empty());
}

TEST_CASE("a kept receipt gives way only when it is that of a lost box") {
  const Home home;
  home.leave_pending("a", std::nullopt);
  home.leave_pending("b", sample_report());
  CHECK(adopt_pending(home.dirs).empty());
  home.leave_pending("a", sample_report());
  home.leave_pending("b", std::nullopt);
  CHECK(adopt_pending(home.dirs).empty());
  CHECK(home.verified("a").report.outcome.observation == Observation::TargetExit);
  CHECK(home.verified("b").report.outcome.observation == Observation::TargetExit);
  CHECK(list_pending(home.dirs).empty());
}

TEST_CASE("nothing pending makes nothing, not even a key") {
  const Home home;
  CHECK(adopt_pending(home.dirs).empty());
  CHECK_FALSE(fs::exists(home.dirs.home));
}

}  // namespace pybox::run
