#include "campaign/oracle/judge.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "base/digest.hpp"
#include "box/protection.hpp"
#include "campaign/model/blobs.hpp"
#include "campaign/oracle/verdicts.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

constexpr Bytes kLargestPlan = 64_MiB;
constexpr Bytes kLargestEvents = 256_MiB;

CheckResult result_of(const PlannedCheck& planned, const History& history) {
  const FullId id = full_id(planned.check);
  const auto attempts = history.attempts.find(id);
  static const std::map<ArmName, std::vector<Attempted>> kNone;
  CheckResult result =
      judge_check(planned, attempts == history.attempts.end() ? kNone : attempts->second);
  const auto unmet = history.unmet.find(id);
  // A host that turned out to lack something half-way hides no breakthrough.
  if (unmet != history.unmet.end() && result.verdict != Verdict::Broken) {
    result.verdict = Verdict::Unmet;
    result.why = unmet->second;
  }
  return result;
}

void add_protections(Evidence& evidence, const std::vector<std::string>& proven,
                     const std::string& id) {
  for (const std::string& name : proven) {
    evidence.protections[name] = true;
    evidence.matrix[name].push_back(id);
  }
}

std::string verdict_of_all(const Evidence& evidence, bool unexpected_unmet) {
  for (const Verdict verdict : kVerdicts) {
    if (verdict == Verdict::Unmet) break;  // from here on none fails the whole by itself
    if (evidence.count(verdict) > 0) return std::string(name_of(verdict));
  }
  if (unexpected_unmet) return std::string(name_of(Verdict::Unmet));
  if (!evidence.complete) return "incomplete";
  return std::string(name_of(Verdict::Held));
}

Evidence begin(const Plan& plan, const History& history) {
  Evidence evidence;
  evidence.id = plan.id;
  evidence.previous = history.started.previous;
  evidence.started = history.started.utc;
  if (history.ended) {
    evidence.ended = history.ended->utc;
    evidence.complete = history.ended->complete;
  }
  evidence.environment = history.started.environment;
  evidence.tools = history.started.tools;
  for (const Verdict each : kVerdicts) evidence.counts[each] = 0;
  for (const box::Protection& each : box::protections())
    evidence.protections[std::string(each.name)] = false;
  for (const auto& [name, proven] : evidence.protections) evidence.matrix[name];
  return evidence;
}

Evidence evidence_of(const Plan& plan, const History& history) {
  Evidence evidence = begin(plan, history);
  bool unexpected_unmet = false;
  for (const PlannedCheck& planned : plan.checks) {
    CheckResult result = result_of(planned, history);
    const FullId id = full_id(planned.check);
    ++evidence.counts[result.verdict];
    if (result.verdict == Verdict::Unmet) {
      const bool expected = is_listed(plan.expected_unmet, id);
      if (expected) evidence.unmet_expected.push_back(id);
      unexpected_unmet = unexpected_unmet || !expected;
    }
    add_protections(evidence, proven_by(result, planned.check.cut), id);
    evidence.checks.push_back(std::move(result));
  }
  std::sort(evidence.checks.begin(), evidence.checks.end(),
            [](const CheckResult& a, const CheckResult& b) {
              return std::tie(a.area, a.id, a.engine) < std::tie(b.area, b.id, b.engine);
            });
  for (auto& [name, checks] : evidence.matrix) std::sort(checks.begin(), checks.end());
  std::sort(evidence.unmet_expected.begin(), evidence.unmet_expected.end());
  evidence.verdict = verdict_of_all(evidence, unexpected_unmet);
  return evidence;
}

}  // namespace

bool is_listed(const std::vector<std::string>& patterns, const std::string& full_id) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), full_id.c_str(), 0) == 0;
  });
}

Result<Evidence> judge(std::string_view plan_json, std::string_view events_jsonl,
                       const ReadBlob& read_blob) {
  const Plan plan = PYBOX_TRY(plan_from_json(plan_json));
  const std::vector<Event> events = PYBOX_TRY(read_events(events_jsonl));
  const std::string plan_sha256 = sha256_hex(plan_json);
  const History history = PYBOX_TRY(history_of(plan, plan_sha256, events, read_blob));
  Evidence evidence = evidence_of(plan, history);
  evidence.plan_sha256 = plan_sha256;
  evidence.events_sha256 = sha256_hex(events_jsonl);
  return evidence;
}

Result<Evidence> judge_folder(const std::filesystem::path& folder) {
  const std::string plan = PYBOX_TRY(sys::read_file(folder / "plan.json", kLargestPlan));
  const std::string events = PYBOX_TRY(sys::read_file(folder / "events.jsonl", kLargestEvents));
  const Blobs blobs(folder / "raw");
  return judge(plan, events, [&](const std::string& name) { return blobs.read(name); });
}

}  // namespace pybox::campaign
