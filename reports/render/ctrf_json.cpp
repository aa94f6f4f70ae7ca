#include <nlohmann/json.hpp>

#include "receipt/canonical_json.hpp"
#include "reports/render/ctrf.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

using nlohmann::json;

const char* status_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Held: return "passed";
    case Verdict::Broken:
    case Verdict::Vacuous:
    case Verdict::Error:
    case Verdict::Flaky: return "failed";
    case Verdict::NotApplicable:
    case Verdict::Unmet: return "skipped";
  }
  return "other";
}

json texts(const std::vector<std::string>& words) {
  json list = json::array();
  for (const std::string& word : words) list.push_back(plain_line(word));
  return list;
}

json attempt_json(const AttemptResult& attempt) {
  json value = {{"attempt", attempt.attempt},
                {"observed", plain_line(attempt.observed)},
                {"why", plain_line(attempt.why)},
                {"duration_us", attempt.duration.count() / 1000}};
  for (const auto& [name, blob] :
       {std::pair{"report", attempt.report}, {"out", attempt.out}, {"err", attempt.err}}) {
    if (blob) value[name] = *blob;
  }
  return value;
}

json arms_json(const CheckResult& check, Nanos& duration) {
  json arms = json::array();
  for (const ArmResult& arm : check.arms) {
    json attempts = json::array();
    for (const AttemptResult& attempt : arm.attempts) attempts.push_back(attempt_json(attempt));
    duration += duration_of(arm);
    arms.push_back({{"arm", plain_line(arm.arm)},
                    {"removed", texts(arm.removed)},
                    {"expected", texts(arm.expected)},
                    {"observed", plain_line(arm.observed)},
                    {"attempts", attempts}});
  }
  return arms;
}

json test_json(const CheckResult& check) {
  Nanos duration{};
  const json arms = arms_json(check, duration);
  return {{"name", plain_line(full_id(check))},
          {"status", status_of(check.verdict)},
          {"rawStatus", name_of(check.verdict)},
          {"duration", duration / Millis(1)},
          {"suite", {plain_line(check.area), plain_line(check.group)}},
          {"message", plain_line(check.why)},
          {"tags", {name_of(check.engine), plain_line(check.area)}},
          {"type", "containment"},
          {"extra",
           {{"pybox.claim", plain_line(check.claim)},
            {"pybox.arms", arms},
            {"pybox.redundant", texts(check.redundant)}}}};
}

json summary_json(const Evidence& campaign) {
  std::map<std::string, std::uint64_t> counts;
  for (const Verdict verdict : kVerdicts) counts[status_of(verdict)] += campaign.count(verdict);
  return {{"tests", campaign.checks.size()},
          {"passed", counts["passed"]},
          {"failed", counts["failed"]},
          {"skipped", counts["skipped"]},
          {"pending", 0},
          {"other", 0},
          {"start", epoch_millis(campaign.started)},
          {"stop", epoch_millis(campaign.ended)},
          {"extra",
           {{"pybox.verdict", campaign.verdict},
            {"pybox.complete", campaign.complete},
            {"pybox.protections", campaign.protections.size()},
            {"pybox.protections_proven", campaign.proven()}}}};
}

}  // namespace

Result<std::string> ctrf_json(const Evidence& campaign) {
  json tests = json::array();
  for (const CheckResult& check : campaign.checks) tests.push_back(test_json(check));
  json environment = json::object();
  for (const auto& [name, value] : campaign.environment) {
    environment["pybox." + plain_line(name)] = plain_line(value);
  }
  const json root = {
      {"reportFormat", "CTRF"},
      {"specVersion", "0.0.0"},
      {"generatedBy", "campaign"},
      {"timestamp", plain_line(campaign.ended.empty() ? campaign.started : campaign.ended)},
      {"results",
       {{"tool", {{"name", "pybox campaign"}}},
        {"summary", summary_json(campaign)},
        {"tests", tests},
        {"environment", {{"appName", "pybox"}, {"extra", environment}}},
        {"extra",
         {{"pybox.campaign", plain_line(campaign.id)},
          {"pybox.plan_sha256", campaign.plan_sha256},
          {"pybox.events_sha256", campaign.events_sha256}}}}}};
  return PYBOX_TRY(canonical_json(root)) + "\n";
}

}  // namespace pybox::reports
