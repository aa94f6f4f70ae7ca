#pragma once
/// A campaign whose world is made up, in an evidence folder of its own.

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "campaign/oracle/judge.hpp"
#include "campaign/oracle/recording_for_tests.hpp"
#include "campaign/run/planner.hpp"
#include "campaign/run/runner.hpp"
#include "files/folder_for_tests.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {

inline const std::string kCanary(32, 'c');

/// The nonce out of a program's ASK line.
inline std::string nonce_in(const std::string& program) {
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
  std::string secret;  ///< stands in everything that comes from the world
};

class FakeWorld final : public World {
 public:
  explicit FakeWorld(Script& script) : script_(script) {}
  const std::string& canary() const override { return kCanary; }
  std::string ask_world_json() const override { return R"({"tcp":["127.0.0.1",1]})"; }
  Result<RunReport> run(const ArmOrder& order) override {
    ++script_.runs;
    script_.programs.push_back(order.program);
    if (script_.fail_run_at == script_.runs)
      return Error(ErrorKind::Protocol, "the world ended" + script_.secret);
    RunReport report = sample_report();
    report.seal = seal_without(order.removed);
    report.seal.checks.front().method += script_.secret;
    report.files.status = Files::Status::Received;
    report.files.omitted.push_back({"o" + script_.secret, 1, "a link"});
    ++report.files.omitted_total;
    report.err = sample_stream(script_.secret);
    report.err.bytes_total += 5;  // cut: what was dropped is not known
    report.notes.push_back(script_.secret);
    report.out = sample_stream(script_.secret + "\n{\"nonce\":\"" + nonce_in(order.program) +
                               "\",\"signature\":\"" + script_.says(order) + "\"}\n");
    script_.before_answer();
    return report;
  }
  std::vector<std::string> take_witnesses() override { return {"tcp 1" + script_.secret}; }

 private:
  Script& script_;
};

class Watched final : public Progress {
 public:
  void stage(std::string_view name) override { stages.emplace_back(name); }
  void advance(std::uint64_t done, std::optional<std::uint64_t> of, Unit) override {
    last_done = done;
    total = of.value_or(0);
  }
  void note(std::string_view) override {}
  std::vector<std::string> stages;
  std::uint64_t last_done = 0, total = 0;
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
    settings.dirs.home = home.path;
    settings.host = host;
    settings.redactor = redactor;
    settings.cancel_fd = cancel[0];
    settings.open_world = [&](EngineKind engine, WorldBoxd) -> Result<std::unique_ptr<World>> {
      ++script.opened;
      if (engine == EngineKind::Vm) watched.stage("starting a VM");
      if (script.open_fails)
        return Error(*script.open_fails, "no world here" + script.secret).hint("do this");
      return std::unique_ptr<World>(std::make_unique<FakeWorld>(script));
    };
    return run_plan(plan, sources, settings, journal, watched,
                    [&](const CheckResult& result) { results.push_back(result); });
  }
  void interrupt() { REQUIRE(::write(cancel[1], "x", 1) == 1); }
  void take_interrupt_back() {
    char byte = 0;
    REQUIRE(::read(cancel[0], &byte, 1) == 1);
  }
  /// "net.thing@native control", in the order in which they were started.
  std::vector<std::string> arms() const {
    std::vector<std::string> names;
    const std::string text = sys::read_file(folder.path / "events.jsonl").value();
    const std::vector<Event> events = read_events(text).value();
    for (const Event& event : events) {
      if (event.kind == EventKind::ArmStarted)
        names.push_back(event.check + "@" + std::string(name_of(event.engine)) + " " + event.arm);
    }
    return names;
  }
  Evidence evidence() const {
    auto judged = judge_folder(folder.path);
    INFO((judged ? std::string() : judged.error().message()));
    REQUIRE(judged.has_value());
    return judged.value();
  }

  files::TestFolder folder, home;
  CheckSources sources{
      .tables = {}, .probes = {{"p.py", "probe"}, {"prelude.py", "prelude"}}, .drivers = {}};
  HostFacts host;
  Redactor redactor = Redactor({});
  Plan plan;
  Event started;
  Script script;
  Watched watched;
  std::vector<CheckResult> results;
  int cancel[2] = {-1, -1};
};

}  // namespace pybox::campaign
