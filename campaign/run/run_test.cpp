#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>

#include "base/digest.hpp"
#include "campaign/oracle/judge.hpp"
#include "campaign/oracle/recording_for_tests.hpp"
#include "campaign/run/planner.hpp"
#include "campaign/run/runner.hpp"
#include "files/folder_for_tests.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

const std::string kCanary(32, 'c');

/// The nonce out of a program's ASK line.
std::string nonce_in(const std::string& program) {
  const std::string key = "\"nonce\":\"";
  return program.substr(program.find(key) + key.size(), 32);
}

/// How a made-up world answers.
struct Script {
  /// What the probe says, by what is left out ("" for nothing); asked anew for each run.
  std::function<Signature(const ArmOrder&)> says;
  std::optional<ErrorKind> open_fails;
  std::optional<int> fail_run_at;  ///< the run of this number (from 1) is lost with its world
  int runs = 0;
  int opened = 0;
  std::vector<std::string> programs;
  std::function<void()> before_answer = [] {};
};

class FakeWorld final : public World {
 public:
  explicit FakeWorld(Script& script) : script_(script) {}
  const std::string& canary() const override { return kCanary; }
  std::string ask_world_json() const override { return R"({"tcp":["127.0.0.1",1]})"; }
  Result<RunReport> run(const ArmOrder& order) override {
    ++script_.runs;
    script_.programs.push_back(order.program);
    if (script_.fail_run_at == script_.runs) return Error(ErrorKind::Protocol, "the world ended");
    RunReport report = sample_report();
    report.seal = seal_without(order.removed);
    report.out = sample_stream("{\"nonce\":\"" + nonce_in(order.program) + "\",\"signature\":\"" +
                               script_.says(order) + "\"}\n");
    script_.before_answer();
    return report;
  }
  std::vector<std::string> take_witnesses() override { return {"tcp 1"}; }

 private:
  Script& script_;
};

class Quiet final : public Watcher {
 public:
  void arm(const PlannedCheck& check, const Arm& arm, std::size_t done, std::size_t of) override {
    arms.push_back(full_id(check.check) + " " + arm.name);
    last_done = done;
    total = of;
  }
  void check_ended(const CheckResult& result) override { results.push_back(result); }
  std::vector<std::string> arms;
  std::vector<CheckResult> results;
  std::size_t last_done = 0, total = 0;
};

/// An evidence folder with a plan, run by a made-up world.
struct Campaign {
  explicit Campaign(std::vector<Check> checks, std::uint32_t passes = 1)
      : plan(make_plan(
                 {.checks = std::move(checks), .arm = {}, .passes = passes, .expected_unmet = {}},
                 sources, std::string(32, 'a'), "2026-01-01T00:00:00.000Z")
                 .value()) {
    REQUIRE(::pipe2(cancel, O_CLOEXEC | O_NONBLOCK) == 0);
    script.says = [](const ArmOrder& order) { return order.removed.empty() ? "EPERM" : kReached; };
    const std::string text = plan_to_json(plan).value();
    REQUIRE(sys::replace_file(folder.path / "plan.json", text).has_value());
    REQUIRE(sys::ensure_private_dir(folder.path / "raw").has_value());
    started.kind = EventKind::Started;
    started.id = plan.id;
    started.plan_sha256 = sha256_hex(text);
  }
  ~Campaign() {
    ::close(cancel[0]);
    ::close(cancel[1]);
  }

  Result<bool> run() {
    Journal journal = Journal::create(folder.path).value();
    REQUIRE(journal.append(started).has_value());
    return go(journal);
  }
  Result<bool> resume() {
    Journal journal = Journal::resume(folder.path).value();
    Event resumed;
    resumed.kind = EventKind::Resumed;
    resumed.torn_bytes = journal.torn_bytes();
    REQUIRE(journal.append(resumed).has_value());
    return go(journal);
  }
  Result<bool> go(Journal& journal) {
    RunSettings settings;
    settings.folder = folder.path;
    settings.host = host;
    settings.cancel_fd = cancel[0];
    settings.open_world = [&](EngineKind, WorldBoxd) -> Result<std::unique_ptr<World>> {
      ++script.opened;
      if (script.open_fails) return Error(*script.open_fails, "no world here").hint("do this");
      return std::unique_ptr<World>(std::make_unique<FakeWorld>(script));
    };
    return run_plan(plan, sources, settings, journal, watcher);
  }
  void interrupt() { REQUIRE(::write(cancel[1], "x", 1) == 1); }
  void take_interrupt_back() {
    char byte = 0;
    REQUIRE(::read(cancel[0], &byte, 1) == 1);
  }
  Evidence evidence() const {
    auto judged = judge_folder(folder.path);
    INFO((judged ? std::string() : judged.error().message()));
    REQUIRE(judged.has_value());
    return judged.value();
  }

  files::TestFolder folder;
  CheckSources sources{
      .tables = {}, .probes = {{"p.py", "probe"}, {"prelude.py", "prelude"}}, .drivers = {}};
  HostFacts host;
  Plan plan;
  Event started;
  Script script;
  Quiet watcher;
  int cancel[2] = {-1, -1};
};

TEST_CASE("a campaign runs protected and control back to back and ends green") {
  Check other = sample_check();
  other.id = "net.zother";
  Campaign campaign({sample_check(), other});
  const auto complete = campaign.run();
  REQUIRE(complete.has_value());
  CHECK(complete.value());
  CHECK(campaign.watcher.arms ==
        std::vector<std::string>{"net.thing@native protected", "net.thing@native control",
                                 "net.zother@native control", "net.zother@native protected"});
  CHECK(campaign.watcher.last_done == 3);
  CHECK(campaign.watcher.total == 4);
  CHECK(campaign.watcher.results.size() == 2);
  CHECK(campaign.script.opened == 2);
  CHECK(campaign.evidence().verdict == "held");
  CHECK(campaign.script.programs[0].ends_with("\nprelude\nprobe"));
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

}  // namespace
}  // namespace pybox::campaign
