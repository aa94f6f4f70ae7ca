#pragma once
/// A recording made up for tests: a plan, its events and its blobs, with whatever is wrong in it.

#include <map>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "campaign/model/event.hpp"
#include "campaign/model/plan.hpp"
#include "campaign/oracle/history.hpp"
#include "campaign/oracle/judge.hpp"
#include "receipt/sample_for_tests.hpp"

namespace pybox::campaign {

inline Check sample_check(std::vector<std::string> cut = {"ns.net"}) {
  Check check;
  check.id = "net.thing";
  check.area = "restrictions";
  check.group = "Network";
  check.claim = "A claim.";
  check.engine = EngineKind::Native;
  check.probe = "p.py";
  check.cut = std::move(cut);
  check.expected = {{kProtected, {"EPERM"}}, {kControl, {kReached}}};
  return check;
}

/// A seal in which exactly the named protections do not hold.
inline Seal seal_without(const std::vector<std::string>& removed) {
  Seal seal;
  seal.before_start = true;
  seal.verified = removed.empty();
  for (const char* name : {"cred.uid", "ns.net", "sec.mount", "sec.sock"}) {
    const bool ok = std::find(removed.begin(), removed.end(), name) == removed.end();
    seal.checks.push_back({.name = name,
                           .expected = "as it should be",
                           .observed = ok ? "as it should be" : "otherwise",
                           .ok = ok,
                           .method = "a file"});
  }
  return seal;
}

class Recording {
 public:
  explicit Recording(Check check) {
    plan_.id = std::string(32, 'a');
    plan_.created = "2026-01-01T00:00:00.000Z";
    plan_.checks.push_back({std::move(check), {}, {{"program", sha256_hex("")}}});
    plan_.checks[0].arms = arms_of(plan_.checks[0].check);
  }

  Plan& plan() { return plan_; }

  struct Attempt {
    ArmName arm;
    Signature signature;
    std::string proof = {};
    std::string out = {};      ///< instead of a line with the signature
    std::string trouble = {};  ///< and then no report
    std::optional<Seal> seal = {};
    bool without_report = false;
  };
  /// Adds an attempt from its beginning to its end. Gives its nonce.
  std::string add(const Attempt& attempt) {
    Event began = event(EventKind::ArmStarted, attempt.arm);
    began.attempt = ++attempts_[attempt.arm];
    began.nonce = sha256_hex(attempt.arm + std::to_string(events_.size())).substr(0, 32);
    began.canary = std::string(32, 'c');
    began.removed = removed(attempt.arm);
    events_.push_back(began);
    Event ended = began;
    ended.kind = EventKind::ArmEnded;
    const std::string line = "{\"nonce\":\"" + began.nonce + "\",\"signature\":\"" +
                             attempt.signature + "\",\"proof\":\"" + attempt.proof +
                             "\",\"detail\":{\"reason\":\"a reason\"}}\n";
    ended.out = blob(attempt.out.empty() ? line : attempt.out);
    ended.err = blob("");
    ended.trouble = attempt.trouble;
    if (attempt.trouble.empty() && !attempt.without_report) {
      RunReport report = sample_report();
      report.seal = attempt.seal ? *attempt.seal : seal_without(began.removed);
      ended.report = blob(report_to_json(report));
    }
    events_.push_back(ended);
    return began.nonce;
  }
  Event& last_event() { return events_.back(); }
  void drop_last_event() { events_.pop_back(); }

  void unmet(std::string reason) {
    events_.push_back(event(EventKind::CheckUnmet, ""));
    events_.back().reason = std::move(reason);
  }

  std::string blob(const std::string& bytes) {
    const std::string name = sha256_hex(bytes);
    blobs_[name] = bytes;
    return name;
  }
  void lose_blob(const std::string& name) { blobs_.erase(name); }

  bool complete = true;

  /// What the judge makes of it.
  Result<Evidence> judged() const {
    const std::string plan = plan_to_json(plan_).value();
    std::vector<Event> events = events_;
    Event started;
    started.kind = EventKind::Started;
    started.id = plan_.id;
    started.plan_sha256 = sha256_hex(plan);
    events.insert(events.begin(), started);
    Event ended;
    ended.kind = EventKind::Ended;
    ended.complete = complete;
    events.push_back(ended);
    std::string text;
    std::string before = no_line_before();
    for (std::size_t i = 0; i < events.size(); ++i) {
      events[i].seq = i;
      events[i].prev = before;
      events[i].utc = "2026-01-01T00:00:00.000Z";
      const std::string line = event_to_json(events[i]).value();
      before = sha256_hex(line);
      text += line + "\n";
    }
    return judge(plan, text, [&](const std::string& name) -> Result<std::string> {
      const auto found = blobs_.find(name);
      if (found == blobs_.end()) return Error(ErrorKind::Evidence, "no such blob");
      return found->second;
    });
  }
  /// "held: why" of its only check, or the error.
  std::string verdict() const {
    const auto evidence = judged();
    if (!evidence) return "cannot be judged: " + evidence.error().message();
    const CheckResult& check = evidence.value().checks.at(0);
    return std::string(name_of(check.verdict)) + ": " + check.why;
  }

 private:
  Event event(EventKind kind, const ArmName& arm) const {
    Event made;
    made.kind = kind;
    made.check = plan_.checks[0].check.id;
    made.engine = plan_.checks[0].check.engine;
    made.arm = arm;
    return made;
  }
  std::vector<std::string> removed(const ArmName& name) const {
    for (const Arm& arm : plan_.checks[0].arms) {
      if (arm.name == name) return arm.removed;
    }
    return {};
  }

  Plan plan_;
  std::vector<Event> events_;
  std::map<ArmName, std::uint32_t> attempts_;
  std::map<std::string, std::string> blobs_;
};

}  // namespace pybox::campaign
