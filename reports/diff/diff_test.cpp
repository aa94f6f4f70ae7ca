#include "reports/diff/diff.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "reports/diff/numbers.hpp"
#include "sys/file.hpp"

namespace pybox::reports {
namespace {

Campaign sample(const std::string& name) {
  auto text = sys::read_file(REPORTS_SAMPLES "/" + name + "/campaign.json");
  REQUIRE(text.has_value());
  auto campaign = read_campaign(*text);
  REQUIRE(campaign.has_value());
  return std::move(campaign).value();
}

Check& check_named(Campaign& campaign, const std::string& full_id) {
  for (Check& check : campaign.checks) {
    if (check.full_id() == full_id) return check;
  }
  FAIL("no check " + full_id);
  return campaign.checks.front();
}

const CheckDiff& diff_named(const Diff& diff, const std::string& full_id) {
  for (const CheckDiff& check : diff.checks) {
    if (check.full_id() == full_id) return check;
  }
  FAIL("no check " + full_id);
  return diff.checks.front();
}

Campaign with_times(const std::vector<std::uint64_t>& times) {
  Campaign campaign;
  campaign.id = "numbers";
  for (std::size_t i = 0; i < times.size(); ++i) {
    Check check;
    check.id = "n" + std::to_string(i);
    check.engine = "vm";
    check.verdict = Verdict::Held;
    Attempt attempt;
    attempt.duration_us = times[i];
    attempt.observed = "EPERM";
    Arm arm;
    arm.name = "protected";
    arm.observed = "EPERM";
    arm.attempts = {attempt};
    check.arms = {arm};
    campaign.checks.push_back(check);
  }
  return campaign;
}

}  // namespace

TEST_CASE("a campaign beside itself: nothing got worse, everything is unchanged") {
  const Campaign one = sample("sample");
  const Diff diff = diff_campaigns(one, one);
  CHECK(diff.worse == 0);
  CHECK(diff.better == 0);
  CHECK(diff.environment.empty());
  CHECK(diff.tools.empty());
  CHECK(diff.protections.empty());
  CHECK(diff.arms.changed + diff.arms.added + diff.arms.deleted == 0);
  CHECK(diff.arms.unchanged > 50);
}

TEST_CASE("a verdict that sank, a held check that went and a new red one are worse") {
  const Campaign before = sample("before");
  const Campaign after = sample("sample");
  const Diff diff = diff_campaigns(before, after);
  CHECK(diff_named(diff, "time.set@vm").direction == Direction::Worse);       // held → broken
  CHECK(diff_named(diff, "old.check@native").direction == Direction::Worse);  // held → gone
  CHECK(diff_named(diff, "ipc.sysv@native").direction == Direction::Worse);   // new: vacuous
  CHECK(diff.worse >= 3);
  const Diff back = diff_campaigns(after, before);
  CHECK(diff_named(back, "time.set@vm").direction == Direction::Better);
  CHECK(diff_named(back, "old.check@native").direction == Direction::Same);  // new: held
}

TEST_CASE("another signature under the same verdict is changed, and neither better nor worse") {
  const Campaign before = sample("before");
  const Diff diff = diff_campaigns(before, sample("sample"));
  const CheckDiff& check = diff_named(diff, "pt.attach@native");  // ESRCH → EPERM
  CHECK(check.change == Change::Changed);
  CHECK(check.direction == Direction::Same);
  Campaign other = before;
  check_named(other, "pt.attach@native").arms[1].removed = {"ns.pid"};
  CHECK(diff_named(diff_campaigns(before, other), "pt.attach@native").change == Change::Changed);
}

TEST_CASE("attempts that disagreed are seen although the deciding one is the same") {
  const Campaign before = sample("before");
  Campaign after = before;
  Arm& arm = check_named(after, "id.caps@vm").arms[0];
  arm.attempts.insert(arm.attempts.begin(), arm.attempts.front());
  arm.attempts.front().observed = "reached";
  const Diff diff = diff_campaigns(before, after);
  CHECK(diff_named(diff, "id.caps@vm").change == Change::Changed);
  CHECK(diff.arms.changed == 1);
}

TEST_CASE("a protection that lost its proof is worse, and so is a new one without any") {
  Campaign before = sample("before");
  Campaign after = before;
  after.protections["cg.mem"] = false;
  CHECK(diff_campaigns(before, after).worse == 1);
  after.protections["cg.mem"] = true;
  after.protections["new.unproven"] = false;
  CHECK(diff_campaigns(before, after).worse == 1);
  after.protections["new.unproven"] = true;
  CHECK(diff_campaigns(before, after).worse == 0);
  after.complete = false;
  CHECK(diff_campaigns(before, after).worse == 1);
}

TEST_CASE("the fence is Q3 + 3 IQR of all changes, and says nothing of a few numbers") {
  CHECK(outer_fence({0, 1, 2, 3, 4}) == 3 + 3 * 2.0);
  const Campaign calm = with_times({100, 100, 100, 100, 100, 100, 100, 100, 100, 100});
  const Campaign loud = with_times({101, 99, 102, 98, 101, 100, 103, 97, 100, 300});
  const Diff diff = diff_campaigns(calm, loud);
  REQUIRE(diff.numbers.size() == 1);
  REQUIRE(diff.numbers[0].fence.has_value());
  REQUIRE(diff.numbers[0].beyond.size() == 1);
  CHECK(diff.numbers[0].beyond[0].check == "n9@vm");
  CHECK(diff.worse == 0);  // numbers never decide
  const Diff few = diff_campaigns(with_times({100, 100}), with_times({100, 900}));
  REQUIRE(few.numbers.size() == 1);
  CHECK_FALSE(few.numbers[0].fence.has_value());
  CHECK(few.numbers[0].beyond.empty());
}

}  // namespace pybox::reports
