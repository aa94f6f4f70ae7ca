#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "campaign/run/campaign_for_tests.hpp"

namespace pybox::campaign {
namespace {

TEST_CASE("a campaign runs protected and control back to back and ends green") {
  Check other = sample_check();
  other.id = "net.zother";
  Campaign campaign({sample_check(), other});
  const auto complete = campaign.run();
  REQUIRE(complete.has_value());
  CHECK(complete.value());
  CHECK(campaign.arms() ==
        std::vector<std::string>{"net.thing@native protected", "net.thing@native control",
                                 "net.zother@native control", "net.zother@native protected"});
  CHECK(campaign.watched.last_done == 3);
  CHECK(campaign.watched.total == 4);
  CHECK(campaign.watched.stages == std::vector<std::string>{"restrictions"});
  CHECK(campaign.results.size() == 2);
  CHECK(campaign.script.opened == 2);
  CHECK(campaign.evidence().verdict == "held");
  CHECK(campaign.script.programs[0].ends_with("\nprelude\nprobe"));
}

TEST_CASE("an area is told again behind each VM that is started in it") {
  Check check = sample_check();
  check.engine = EngineKind::Vm;
  Campaign campaign({check});
  REQUIRE(campaign.run().has_value());
  CHECK(campaign.watched.stages == std::vector<std::string>{"restrictions", "starting a VM",
                                                            "restrictions", "starting a VM",
                                                            "restrictions"});
}

TEST_CASE("what came through is run three times more, each with a fresh nonce") {
  Campaign campaign({sample_check()});
  campaign.script.says = [](const ArmOrder&) { return kReached; };
  REQUIRE(campaign.run().has_value());
  const Evidence evidence = campaign.evidence();
  CHECK(evidence.verdict == "broken");
  const ArmResult& arm = evidence.checks[0].arms[0];
  REQUIRE(arm.attempts.size() == 4);
  CHECK(arm.attempts[0].nonce != arm.attempts[3].nonce);
  CHECK(evidence.checks[0].arms[1].attempts.size() == 1);
}

TEST_CASE("what came through once of four times is flaky and all attempts are kept") {
  Campaign campaign({sample_check()});
  campaign.script.says = [&](const ArmOrder& order) {
    return campaign.script.runs == 1 || !order.removed.empty() ? kReached : "EPERM";
  };
  REQUIRE(campaign.run().has_value());
  CHECK(campaign.evidence().verdict == "flaky");
  CHECK(campaign.evidence().checks[0].arms[0].attempts.size() == 4);
}

TEST_CASE("passes run every arm again") {
  Campaign campaign({sample_check()}, 3);
  REQUIRE(campaign.run().has_value());
  CHECK(campaign.evidence().verdict == "held");
  CHECK(campaign.evidence().checks[0].arms[1].attempts.size() == 3);
}

TEST_CASE("a host that cannot run a world says unmet and asks once for each") {
  Check other = sample_check();
  other.id = "net.zother";
  Campaign campaign({sample_check(), other});
  campaign.script.open_fails = ErrorKind::HostCannot;
  REQUIRE(campaign.run().has_value());
  const Evidence evidence = campaign.evidence();
  CHECK(evidence.verdict == "unmet");
  CHECK(evidence.checks[0].why == "no world here (do this)");
  CHECK(evidence.checks[1].verdict == Verdict::Unmet);
  CHECK(campaign.script.opened == 2);  // the second check begins with its control, in another world
}

TEST_CASE("a world that does not open is an error of the arms, and is given up after three times") {
  Campaign campaign({sample_check()}, 4);
  campaign.script.open_fails = ErrorKind::Io;
  REQUIRE(campaign.run().has_value());
  CHECK(campaign.evidence().checks[0].verdict == Verdict::Error);
  CHECK(campaign.script.opened == 6);
}

TEST_CASE("a check whose needs are not met is unmet without a world") {
  Check check = sample_check();
  check.needs = {"swap"};
  Campaign campaign({check});
  REQUIRE(campaign.run().has_value());
  CHECK(campaign.evidence().checks[0].why == "needs swap");
  CHECK(campaign.script.opened == 0);
}

TEST_CASE("trouble of any length and with any bytes is bounded, and the evidence stays readable") {
  Campaign campaign({sample_check()});
  campaign.script.secret = std::string(200000, '\x1b');
  campaign.script.fail_run_at = 1;
  REQUIRE(campaign.run().has_value());
  CHECK(campaign.evidence().checks[0].why.size() < 8192);
}

TEST_CASE("a world that was lost is an error of its arm, and the next arm gets another") {
  Check other = sample_check();
  other.id = "net.zother";
  Campaign campaign({sample_check(), other});
  campaign.script.fail_run_at = 1;
  REQUIRE(campaign.run().has_value());
  const Evidence evidence = campaign.evidence();
  CHECK(evidence.checks[0].verdict == Verdict::Error);
  CHECK(evidence.checks[0].why == "protected showed `trouble`: the world ended");
  CHECK(evidence.checks[1].verdict == Verdict::Held);
  CHECK(campaign.script.opened == 3);
}

TEST_CASE("an interrupted campaign says so and is taken up behind the last arm that ended") {
  Check other = sample_check();
  other.id = "net.zother";
  Campaign campaign({sample_check(), other});
  campaign.script.before_answer = [&] {
    if (campaign.script.runs == 2) campaign.interrupt();
  };
  const auto complete = campaign.run();
  REQUIRE(complete.has_value());
  CHECK_FALSE(complete.value());
  CHECK(campaign.evidence().verdict == "error");
  CHECK_FALSE(campaign.evidence().complete);

  campaign.take_interrupt_back();
  const auto resumed = campaign.resume();
  REQUIRE(resumed.has_value());
  CHECK(resumed.value());
  const Evidence evidence = campaign.evidence();
  CHECK(evidence.verdict == "held");
  CHECK(evidence.complete);
  CHECK(campaign.script.runs == 5);  // the control that was interrupted ran twice
  CHECK(evidence.checks[0].arms[1].attempts.at(0).attempt == 2);
}

TEST_CASE("a torn last line is cut off and told when a campaign is taken up") {
  Campaign campaign({sample_check()});
  campaign.script.before_answer = [&] {
    if (campaign.script.runs == 2) campaign.interrupt();
  };
  REQUIRE(campaign.run().has_value());
  campaign.take_interrupt_back();
  std::ofstream(campaign.folder.path / "events.jsonl", std::ios::app) << "{\"seq\":7,\"pr";
  CHECK(judge_folder(campaign.folder.path).error().message().ends_with("is torn: it has no end"));
  REQUIRE(campaign.resume().has_value());
  CHECK(campaign.evidence().verdict == "held");
  const std::string events = sys::read_file(campaign.folder.path / "events.jsonl").value();
  CHECK(events.find("\"torn_bytes\":12") != std::string::npos);
}

TEST_CASE("a campaign that was complete has nothing left to run") {
  Campaign campaign({sample_check()});
  REQUIRE(campaign.run().has_value());
  REQUIRE(campaign.resume().has_value());
  CHECK(campaign.script.runs == 2);
}

TEST_CASE("a changed line of the journal is noticed when it is judged and when it is taken up") {
  Campaign campaign({sample_check()});
  REQUIRE(campaign.run().has_value());
  const std::filesystem::path file = campaign.folder.path / "events.jsonl";
  std::string text = sys::read_file(file).value();
  text.replace(text.find("\"attempt\":1"), 11, "\"attempt\":2");
  REQUIRE(sys::replace_file(file, text).has_value());
  CHECK_FALSE(judge_folder(campaign.folder.path).has_value());
  CHECK_FALSE(Journal::resume(campaign.folder.path).has_value());
}

TEST_CASE("a folder that holds a campaign takes no second one") {
  Campaign campaign({sample_check()});
  REQUIRE(campaign.run().has_value());
  const auto second = Journal::create(campaign.folder.path);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().kind() == ErrorKind::Refused);
  CHECK(second.error().message().ends_with("holds a campaign already"));
}

/// Everything that a campaign wrote.
std::string all_text(const std::filesystem::path& folder) {
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) text += sys::read_file(entry.path()).value();
  }
  return text;
}

TEST_CASE("a planted secret is nowhere in the evidence, and everywhere without the redactor") {
  for (const auto open_fails : {std::optional<ErrorKind>(), std::optional(ErrorKind::HostCannot),
                                std::optional(ErrorKind::Io)}) {
    for (const bool redacted : {true, false}) {
      Campaign campaign({sample_check()});
      campaign.script.secret = " build-7.example ";
      campaign.script.open_fails = open_fails;
      campaign.script.fail_run_at = 2;
      if (redacted) campaign.redactor = Redactor(Secrets{{"build-7.example", "host"}});
      REQUIRE(campaign.run().has_value());
      const std::string text = all_text(campaign.folder.path);
      CHECK((text.find("build-7.example") == std::string::npos) == redacted);
      CHECK((text.find("<host>") != std::string::npos) == redacted);
    }
  }
}

}  // namespace
}  // namespace pybox::campaign
