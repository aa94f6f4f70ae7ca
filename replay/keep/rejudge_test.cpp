#include "replay/keep/rejudge.hpp"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "campaign/model/plan.hpp"
#include "replay/play/player.hpp"
#include "sys/file.hpp"

namespace pybox::replay {
namespace {

namespace fs = std::filesystem;
using campaign::Event;
using campaign::EventKind;

/// A campaign of one driver check with both arms, as the runner writes it.
class Made {
 public:
  explicit Made(const std::string& protected_signature = "refused") {
    campaign::Plan plan;
    plan.id = "20261130T010203Z-0a1b2c3d";
    plan.created = "2026-11-30T01:02:03Z";
    campaign::PlannedCheck planned;
    planned.check.id = "receipts.forged.ending";
    planned.check.area = "receipts";
    planned.check.group = "Forged receipts";
    planned.check.claim = "A changed receipt is refused.";
    planned.check.engine = EngineKind::Native;
    planned.check.driver = "receipt_forged.py";
    planned.check.ask = "{}";
    planned.check.expected["protected"] = {"refused"};
    planned.check.expected["control"] = {"reached"};
    planned.arms = campaign::arms_of(planned.check);
    plan.checks = {planned};
    recording.evidence.plan = campaign::plan_to_json(plan).value();
    Event started;
    started.kind = EventKind::Started;
    started.id = plan.id;
    started.plan_sha256 = sha256_hex(recording.evidence.plan);
    started.environment = {{"kernel", "6.12"}};
    add(started);
    for (const campaign::Arm& arm : planned.arms)
      run(arm, arm.name == "control" ? "reached" : protected_signature);
    Event ended;
    ended.kind = EventKind::Ended;
    ended.complete = true;
    add(ended);
    recording.meta.name = "made";
    recording.meta.why = "a test";
    recording.meta.source_file = "events.jsonl";
    recording.meta.source_sha256 = recording.meta.events_sha256 =
        sha256_hex(recording.evidence.events);
    recording.meta.plan_sha256 = sha256_hex(recording.evidence.plan);
    recording.meta.rules_sha256 = rules_digest();
    recording.expect = expectation(judge(recording.evidence).value()).value();
  }

  Recording recording;

 private:
  void run(const campaign::Arm& arm, const std::string& signature) {
    Event began;
    began.kind = EventKind::ArmStarted;
    began.check = "receipts.forged.ending";
    began.engine = EngineKind::Native;
    began.arm = arm.name;
    began.removed = arm.removed;
    began.nonce = sha256_hex(arm.name).substr(0, 32);
    began.canary = sha256_hex(began.nonce).substr(0, 32);
    add(began);
    Event ended = began;
    ended.kind = EventKind::ArmEnded;
    ended.out = blob("\n{\"nonce\":\"" + began.nonce + "\",\"signature\":\"" + signature +
                     "\",\"proof\":null,\"detail\":{\"passes\":3}}\n");
    ended.err = blob("");
    ended.duration = std::chrono::milliseconds(700);
    add(ended);
  }
  std::string blob(const std::string& bytes) {
    const std::string name = sha256_hex(bytes);
    recording.evidence.blobs[name] = bytes;
    return name;
  }
  void add(Event event) {
    event.seq = number_;
    event.prev = previous_;
    event.at = std::chrono::seconds(number_++);
    event.utc = "2026-11-30T01:02:03.000Z";
    const std::string line = campaign::event_to_json(event).value();
    previous_ = sha256_hex(line);
    recording.evidence.events += line + "\n";
  }
  std::uint64_t number_ = 0;
  std::string previous_ = campaign::no_line_before();
};

struct Folder {
  fs::path path = fs::temp_directory_path() / ("pybox-replay-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { (void)sys::remove_tree(path); }
};

bool names(const std::vector<Drift>& drifts, DriftKind kind) {
  for (const Drift& drift : drifts) {
    if (drift.kind == kind) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a recording judges as it was recorded, from its folder too") {
  const Made made;
  const Rejudged rejudged = rejudge(made.recording).value();
  CHECK(rejudged.judged.verdict == "held");
  CHECK(rejudged.drifts.empty());
  const Folder folder;
  REQUIRE(write_recording(folder.path / "made", made.recording).has_value());
  const Recording read = read_recording(folder.path / "made").value();
  CHECK(rejudge(read)->drifts.empty());
  CHECK(meta_to_json(read.meta) == meta_to_json(made.recording.meta));
  CHECK(write_recording(folder.path / "made", made.recording).error().kind() == ErrorKind::Usage);
}

TEST_CASE("a recording that is not whole, or holds more, is refused") {
  const Made made;
  const Folder folder;
  const fs::path dir = folder.path / "made";
  REQUIRE(write_recording(dir, made.recording).has_value());
  const auto problem_with = [&](const fs::path& name, const std::string& bytes) {
    const fs::path file = dir / name;
    const auto before = sys::read_file(file);
    fs::create_directories(file.parent_path());
    REQUIRE(sys::replace_file(file, bytes).has_value());
    const auto read = read_recording(dir);
    const std::string problem = read ? "" : read.error().message();
    if (before) {
      REQUIRE(sys::replace_file(file, *before).has_value());
    } else {
      fs::remove(file);
    }
    return problem;
  };
  const std::string blob = made.recording.evidence.blobs.begin()->first;
  CHECK(problem_with(fs::path("raw") / blob.substr(0, 2) / blob.substr(2), "x")
            .find("not what its name says") != std::string::npos);
  CHECK(problem_with("plan.json", "{}").find("plan.json is not the file") != std::string::npos);
  CHECK(problem_with("events.jsonl", made.recording.evidence.events + "{\"event\":\"x\"}\n")
            .find("events.jsonl is not") != std::string::npos);
  CHECK(problem_with("raw/00/11", "x").find("does not belong") != std::string::npos);
  CHECK(problem_with("notes.txt", "x").find("does not belong") != std::string::npos);
  CHECK(problem_with("meta.json", "{}").find("schema_version") != std::string::npos);
  CHECK(rejudge(read_recording(dir).value())->drifts.empty());
}

TEST_CASE("drift is told apart: verdict, environment, format") {
  Made made;
  const std::string today = made.recording.expect;
  const auto drifts_of = [&](const std::string& from, const std::string& to) {
    std::string text = today;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    return drifts(text, today);
  };
  CHECK(names(drifts_of("\"verdict\":\"held\"", "\"verdict\":\"broken\""), DriftKind::Verdict));
  CHECK(
      names(drifts_of("\"protected\":\"refused\"", "\"protected\":\"EPERM\""), DriftKind::Verdict));
  CHECK(names(drifts_of("\"control\":\"reached\",", ""), DriftKind::Verdict));
  const auto environment = drifts_of("\"environment_sha256\":\"", "\"environment_sha256\":\"0");
  REQUIRE(environment.size() == 1);
  CHECK(environment[0].kind == DriftKind::Environment);
  const auto format = drifts_of("\"campaign_sha256\":\"", "\"campaign_sha256\":\"0");
  REQUIRE(format.size() == 1);
  CHECK(format[0].kind == DriftKind::Format);
  CHECK(names(drifts_of("\"checks\"", "\"cheques\""), DriftKind::Format));
}

TEST_CASE("a recording of a weak box stays red, whatever expect.json says") {
  Made weak("reached");
  // The runner repeats a breakthrough; without the repetitions it is no `broken`, and red all the
  // same.
  weak.recording.meta.must = Must::StayRed;
  CHECK(rejudge(weak.recording)->drifts.empty());
  CHECK(rejudge(weak.recording)->judged.verdict != "held");
  weak.recording.meta.must = Must::StayGreen;
  CHECK(names(rejudge(weak.recording)->drifts, DriftKind::Verdict));
  Made green;
  green.recording.meta.must = Must::StayRed;
  CHECK(names(rejudge(green.recording)->drifts, DriftKind::Verdict));
}

TEST_CASE("every mutation that applies is noticed, and those of arms by the verdict") {
  const Made made;
  std::size_t applied = 0;
  const std::vector<Noticed> all = mutate(made.recording).value();
  for (const Noticed& each : all) {
    INFO(each.mutation->name << ": " << each.how);
    if (!each.applies) continue;
    ++applied;
    CHECK(each.noticed);
  }
  CHECK(applied == mutations().size());
}

TEST_CASE("every recording of the tree judges as recorded, whoever looks") {
  std::size_t green = 0;
  std::size_t red = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(PYBOX_SOURCE_DIR) / "replay/recordings")) {
    INFO(entry.path().string());
    const auto recording = read_recording(entry.path());
    INFO((recording ? "" : recording.error().message()));
    REQUIRE(recording.has_value());
    CHECK(recording->meta.name == entry.path().filename().string());
    CHECK(recording->meta.rules_sha256 == rules_digest());
    const auto rejudged = rejudge(*recording);
    INFO((rejudged ? "" : rejudged.error().message()));
    REQUIRE(rejudged.has_value());
    for (const Drift& drift : rejudged->drifts)
      UNSCOPED_INFO(name_of(drift.kind) << ": " << drift.what);
    CHECK(rejudged->drifts.empty());
    ++(recording->meta.must == Must::StayRed ? red : green);
    // What was cleaned once is clean.
    CHECK(clean(recording->evidence, {})->evidence.events == recording->evidence.events);
    const std::vector<Noticed> all = mutate(*recording).value();
    for (const Noticed& each : all) {
      INFO(each.mutation->name);
      // Of a breakthrough nothing a control says changes the verdict.
      if (each.applies && recording->meta.must == Must::StayGreen) CHECK(each.noticed);
    }
  }
  CHECK(green >= 9);
  CHECK(red >= 1);
}

TEST_CASE("the player shows every arm in its time, and nothing that drives a terminal") {
  Made made;
  const Rejudged rejudged = rejudge(made.recording).value();
  const std::vector<Scene> shown =
      scenes(rejudged.events, made.recording.evidence, rejudged.judged);
  std::string all;
  Nanos waited{};
  REQUIRE(play(
              shown, 2.0,
              [&](const std::string& text) -> Result<void> { return all += text, Result<void>(); },
              [&](Nanos time) -> Result<void> { return waited += time, Result<void>(); })
              .has_value());
  CHECK(all.find("▶ receipts.forged.ending@native  protected") != std::string::npos);
  CHECK(all.find("= refused") != std::string::npos);
  CHECK(all.find("= reached") != std::string::npos);
  CHECK(all.find('\x1b') == std::string::npos);
  CHECK(waited == std::chrono::milliseconds(2500));  // five events a second apart
  waited = {};
  REQUIRE(play(
              shown, 0, [](const std::string&) -> Result<void> { return {}; },
              [&](Nanos time) -> Result<void> { return waited += time, Result<void>(); })
              .has_value());
  CHECK(waited == Nanos{});
}

}  // namespace pybox::replay
