#include "reports/diff/diff.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "sys/file.hpp"

namespace pybox::reports {
namespace {

Evidence sample(const std::string& name) {
  auto text = sys::read_file(REPORTS_SAMPLES "/" + name + "/campaign.json");
  REQUIRE(text.has_value());
  auto campaign = campaign::evidence_from_json(*text);
  REQUIRE(campaign.has_value());
  return std::move(campaign).value();
}

CheckResult& check_named(Evidence& campaign, const std::string& name) {
  for (CheckResult& check : campaign.checks) {
    if (full_id(check) == name) return check;
  }
  FAIL("no check " + name);
  return campaign.checks.front();
}

const CheckDiff& diff_named(const Diff& diff, const std::string& full_id) {
  for (const CheckDiff& check : diff.checks) {
    if (check.full_id == full_id) return check;
  }
  FAIL("no check " + full_id);
  return diff.checks.front();
}

}  // namespace

TEST_CASE("a campaign beside itself: nothing got worse, everything is unchanged") {
  const Evidence one = sample("sample");
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
  const Evidence before = sample("before");
  const Evidence after = sample("sample");
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
  const Evidence before = sample("before");
  const Diff diff = diff_campaigns(before, sample("sample"));
  const CheckDiff& check = diff_named(diff, "pt.attach@native");  // ESRCH → EPERM
  CHECK(check.change == Change::Changed);
  CHECK(check.direction == Direction::Same);
  Evidence other = before;
  check_named(other, "pt.attach@native").arms[1].removed = {"ns.pid"};
  CHECK(diff_named(diff_campaigns(before, other), "pt.attach@native").change == Change::Changed);
}

TEST_CASE("attempts that disagreed are seen although the deciding one is the same") {
  const Evidence before = sample("before");
  Evidence after = before;
  ArmResult& arm = check_named(after, "id.caps@vm").arms[0];
  arm.attempts.insert(arm.attempts.begin(), arm.attempts.front());
  arm.attempts.front().observed = "reached";
  const Diff diff = diff_campaigns(before, after);
  CHECK(diff_named(diff, "id.caps@vm").change == Change::Changed);
  CHECK(diff.arms.changed == 1);
}

TEST_CASE("a protection that lost its proof is worse, and so is a new one without any") {
  Evidence before = sample("before");
  Evidence after = before;
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

}  // namespace pybox::reports
