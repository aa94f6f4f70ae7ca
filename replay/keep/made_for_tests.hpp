#pragma once
/// A recording that is made while a test runs.

#include <string>

#include "base/digest.hpp"
#include "campaign/model/plan.hpp"
#include "replay/keep/rejudge.hpp"

namespace pybox::replay {

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
    campaign::Event started;
    started.kind = campaign::EventKind::Started;
    started.id = plan.id;
    started.plan_sha256 = sha256_hex(recording.evidence.plan);
    started.environment = {{"kernel", "6.12"}};
    add(started);
    for (const campaign::Arm& arm : planned.arms)
      run(arm, arm.name == "control" ? "reached" : protected_signature);
    campaign::Event ended;
    ended.kind = campaign::EventKind::Ended;
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
    campaign::Event began;
    began.kind = campaign::EventKind::ArmStarted;
    began.check = "receipts.forged.ending";
    began.engine = EngineKind::Native;
    began.arm = arm.name;
    began.removed = arm.removed;
    began.nonce = sha256_hex(arm.name).substr(0, 32);
    began.canary = sha256_hex(began.nonce).substr(0, 32);
    add(began);
    campaign::Event ended = began;
    ended.kind = campaign::EventKind::ArmEnded;
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
  void add(campaign::Event event) {
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

}  // namespace pybox::replay
