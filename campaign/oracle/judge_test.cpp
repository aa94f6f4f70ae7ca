#include "campaign/oracle/judge.hpp"

#include <catch2/catch_test_macros.hpp>

#include "campaign/oracle/probe.hpp"
#include "campaign/oracle/recording_for_tests.hpp"
#include "campaign/oracle/verdicts.hpp"

namespace pybox::campaign {
namespace {

/// A check that is held: each test below spoils one thing.
Recording held() {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = "EPERM"});
  recording.add({.arm = kControl, .signature = kReached});
  return recording;
}

Recording held_with_two(const Signature& kept_net, const Signature& kept_sock) {
  Recording recording(sample_check({"ns.net", "sec.sock"}));
  recording.add({.arm = kProtected, .signature = "EPERM"});
  recording.add({.arm = kControl, .signature = kReached});
  recording.add({.arm = "only:ns.net", .signature = kept_net});
  recording.add({.arm = "only:sec.sock", .signature = kept_sock});
  return recording;
}

TEST_CASE("a blocked protected arm and a control that came through are held and prove the cut") {
  const auto evidence = held().judged();
  REQUIRE(evidence.has_value());
  CHECK(evidence.value().verdict == "held");
  CHECK(evidence.value().counts.at(Verdict::Held) == 1);
  CHECK(evidence.value().protections.at("ns.net"));
  CHECK_FALSE(evidence.value().protections.at("sec.sock"));
  CHECK(evidence.value().matrix.at("ns.net") == std::vector<std::string>{"net.thing@native"});
  CHECK(evidence.value().checks[0].why == "blocked with `EPERM`, `reached` without ns.net");
}

TEST_CASE("a control that did not come through is vacuous") {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = "EPERM"});
  recording.add({.arm = kControl, .signature = "EPERM"});
  CHECK(recording.verdict() ==
        "vacuous: control showed `EPERM`: a reason without ns.net: the attack never worked, so its "
        "failure proves nothing");
  CHECK(recording.judged().value().verdict == "vacuous");
  CHECK_FALSE(recording.judged().value().protections.at("ns.net"));
}

TEST_CASE("a control that met the absence of the thing is not applicable") {
  Check check = sample_check();
  check.absent = {"EAFNOSUPPORT"};
  Recording recording(check);
  recording.add({.arm = kProtected, .signature = "EAFNOSUPPORT"});
  recording.add({.arm = kControl, .signature = "EAFNOSUPPORT"});
  CHECK(recording.verdict() ==
        "not-applicable: there is no such thing here: the control met `EAFNOSUPPORT`");
  CHECK(recording.judged().value().verdict == "held");
  CHECK_FALSE(recording.judged().value().protections.at("ns.net"));
}

TEST_CASE("an attack that came through every time is broken, also when it never had a control") {
  Recording recording(sample_check());
  for (int i = 0; i < 4; ++i) recording.add({.arm = kProtected, .signature = kReached});
  CHECK(
      recording.verdict() ==
      "broken: the attack came through with every protection on, 4 times, each with a fresh nonce");
  CHECK(recording.judged().value().verdict == "broken");
  CHECK(recording.judged().value().checks[0].arms[0].attempts.size() == 4);
}

TEST_CASE("an attack that came through once of four times is flaky, not held") {
  Recording recording = held();
  for (int i = 0; i < 3; ++i) recording.add({.arm = kProtected, .signature = kReached});
  CHECK(recording.verdict() ==
        "flaky: repetitions of protected disagree: EPERM, reached, reached, reached");
}

TEST_CASE("an answer nobody expected is an error") {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = "ENOENT"});
  recording.add({.arm = kControl, .signature = kReached});
  CHECK(recording.verdict() == "error: protected showed `ENOENT`: a reason, expected EPERM");
}

TEST_CASE("no line with the nonce is silent, and an error in any arm") {
  for (const ArmName& silent : {kProtected, kControl}) {
    Recording recording(sample_check());
    for (const ArmName& arm : {kProtected, kControl}) {
      Recording::Attempt attempt{.arm = arm, .signature = arm == kControl ? kReached : "EPERM"};
      if (arm == silent)
        attempt.out = "{\"nonce\":\"00000000000000000000000000000000\",\"signature\":\"EPERM\"}\n";
      recording.add(attempt);
    }
    CHECK(recording.verdict() == "error: " + silent + " showed `silent`: no line with the nonce");
  }
}

TEST_CASE("two lines with the nonce are forged, whatever they say") {
  Recording recording(sample_check());
  const std::string nonce = recording.add({.arm = kProtected, .signature = "EPERM"});
  const std::string line = "{\"nonce\":\"" + nonce + "\",\"signature\":\"EPERM\"}\n";
  recording.last_event().out = recording.blob(line + line);
  recording.add({.arm = kControl, .signature = kReached});
  CHECK(recording.verdict() == "error: protected showed `forged`: 2 lines carry the nonce");
}

TEST_CASE("reached without the canary is unproven where the canary is the proof") {
  Check check = sample_check();
  check.needs_canary = true;
  Recording with(check);
  with.add({.arm = kProtected, .signature = "EPERM"});
  with.add({.arm = kControl, .signature = kReached, .proof = std::string(32, 'c') + ":tcp"});
  CHECK(with.verdict().starts_with("held: "));
  Recording without(check);
  without.add({.arm = kProtected, .signature = "EPERM"});
  without.add({.arm = kControl, .signature = kReached, .proof = "something"});
  CHECK(without.verdict() ==
        "error: control showed `unproven`: `reached` without the canary in its proof");
}

TEST_CASE("trouble of the harness is an error, and beside a usable attempt flaky") {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = "EPERM"});
  recording.add({.arm = kControl, .signature = kReached, .trouble = "the box was lost"});
  CHECK(recording.verdict() == "error: control showed `trouble`: the box was lost");
  recording.add({.arm = kControl, .signature = kReached});
  CHECK(recording.verdict() == "flaky: repetitions of control disagree: trouble, reached");
}

TEST_CASE("an arm that was not asked for, or did not end, leaves nothing proven") {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = "EPERM"});
  CHECK(recording.verdict() == "error: control did not run to its end");
  recording.add({.arm = kControl, .signature = kReached});
  recording.drop_last_event();
  CHECK(recording.verdict() == "error: control did not run to its end");
  Recording alone(sample_check());
  alone.plan().checks[0].arms.pop_back();
  alone.add({.arm = kProtected, .signature = "EPERM"});
  CHECK(alone.verdict() == "error: control was not asked for, so nothing is proven");
}

TEST_CASE("an only arm that blocks proves its protection, one that lets through is redundant") {
  const Recording both = held_with_two("ENETUNREACH", "EPERM");
  CHECK(both.verdict().starts_with("held: "));
  CHECK(both.judged().value().protections.at("ns.net"));
  CHECK(both.judged().value().protections.at("sec.sock"));
  const Recording one = held_with_two("ENETUNREACH", kReached);
  const Evidence evidence = one.judged().value();
  CHECK(evidence.verdict == "held");
  CHECK(evidence.checks[0].redundant == std::vector<std::string>{"sec.sock"});
  CHECK(evidence.protections.at("ns.net"));
  CHECK_FALSE(evidence.protections.at("sec.sock"));
}

TEST_CASE("an only arm is held to its own expectation, to its own seal and to an answer") {
  Check check = sample_check({"ns.net", "sec.sock"});
  check.expected["only:sec.sock"] = {"EACCES"};
  const auto with = [&](const Recording::Attempt& last) {
    Recording recording(check);
    recording.add({.arm = kProtected, .signature = "EPERM"});
    recording.add({.arm = kControl, .signature = kReached});
    recording.add({.arm = "only:ns.net", .signature = "EPERM"});
    recording.add(last);
    return recording.verdict();
  };
  CHECK(with({.arm = "only:sec.sock", .signature = "EACCES"}).starts_with("held: "));
  CHECK(with({.arm = "only:sec.sock", .signature = "EPERM"}) ==
        "error: only:sec.sock showed `EPERM`: a reason, expected EACCES");
  CHECK(with({.arm = "only:sec.sock", .signature = "EACCES", .out = "nothing\n"}) ==
        "error: only:sec.sock showed `silent`: no line with the nonce");
  CHECK(with({.arm = "only:sec.sock", .signature = "EACCES", .seal = seal_without({})}) ==
        "error: the seal of only:sec.sock differs in nothing, not in exactly ns.net");
}

TEST_CASE("a benign arm must work") {
  Check check = sample_check();
  check.benign = "b.py";
  check.expected[kBenign] = {"works"};
  const auto with = [&](const Signature& benign) {
    Recording recording(check);
    recording.add({.arm = kProtected, .signature = "EPERM"});
    recording.add({.arm = kControl, .signature = kReached});
    recording.add({.arm = kBenign, .signature = benign});
    return recording.verdict();
  };
  CHECK(with("works").starts_with("held: "));
  CHECK(with("EPERM") ==
        "error: the legitimate use next door does not work: benign showed `EPERM`: a reason");
}

TEST_CASE("unmet is green only where it is expected") {
  Recording recording(sample_check());
  recording.unmet("needs swap");
  CHECK(recording.verdict() == "unmet: needs swap");
  CHECK(recording.judged().value().verdict == "unmet");
  recording.plan().expected_unmet = {"net.*@native"};
  CHECK(recording.judged().value().verdict == "held");
  CHECK(recording.judged().value().unmet_expected == std::vector<std::string>{"net.thing@native"});
  recording.plan().expected_unmet = {"net.thing@vm"};
  CHECK(recording.judged().value().verdict == "unmet");
}

TEST_CASE("a breakthrough is not hidden by an unmet check") {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = kReached});
  recording.unmet("the VM did not start again");
  CHECK(recording.verdict().starts_with("broken: "));
}

TEST_CASE("a driver may say unmet, a probe may not") {
  Check check = sample_check({});
  check.probe.clear();
  check.driver = "d.py";
  Recording driver(check);
  driver.add({.arm = kProtected, .signature = kUnmetSignature, .without_report = true});
  driver.add({.arm = kControl, .signature = kUnmetSignature, .without_report = true});
  CHECK(driver.verdict() == "unmet: a reason");
  Recording probe(sample_check());
  probe.add({.arm = kProtected, .signature = kUnmetSignature});
  probe.add({.arm = kControl, .signature = kReached});
  CHECK(probe.verdict().starts_with("error: protected showed `unmet`"));
}

TEST_CASE("a driver needs no seal, and without a cut set proves no protection") {
  Check check = sample_check({});
  check.probe.clear();
  check.driver = "d.py";
  Recording recording(check);
  recording.add({.arm = kProtected, .signature = "EPERM", .without_report = true});
  recording.add({.arm = kControl, .signature = kReached, .without_report = true});
  CHECK(recording.verdict() == "held: blocked with `EPERM`, `reached` without what it proves");
  const Evidence evidence = recording.judged().value();
  for (const auto& [name, proven] : evidence.protections) CHECK_FALSE(proven);
}

TEST_CASE("an interrupted campaign is incomplete, however green") {
  Recording recording = held();
  recording.complete = false;
  CHECK(recording.judged().value().verdict == "incomplete");
  CHECK_FALSE(recording.judged().value().complete);
}

TEST_CASE("a recording that does not hold together cannot be judged") {
  Recording foreign = held();
  foreign.unmet("a reason");
  foreign.last_event().check = "net.other";
  CHECK(foreign.verdict().ends_with("`net.other@native` was never planned"));
  Recording orphan = held();
  orphan.last_event().nonce = std::string(32, '0');
  CHECK(orphan.verdict().ends_with("ends without a beginning"));
  Recording renamed = held();
  renamed.last_event().arm = kProtected;
  CHECK(renamed.verdict().ends_with("ends under the nonce of another"));
  Recording lost = held();
  lost.lose_blob(*lost.last_event().out);
  CHECK(lost.verdict().ends_with("no such blob"));
  Recording cut = held();
  cut.plan().checks[0].arms[1].removed = {"sec.sock"};
  CHECK(cut.verdict().ends_with("leaves out other protections than planned"));
}

TEST_CASE("the same recording gives the same bytes") {
  const std::string once = evidence_to_json(held().judged().value()).value();
  CHECK(once == evidence_to_json(held().judged().value()).value());
  CHECK(once.ends_with("}\n"));
}

}  // namespace
}  // namespace pybox::campaign
