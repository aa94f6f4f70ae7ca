#include <nlohmann/json.hpp>

#include "receipt/canonical_json.hpp"
#include "reports/attest/names.hpp"
#include "reports/attest/statement.hpp"

namespace pybox::reports {
namespace {

using nlohmann::json;

json resource(std::string_view name, const std::string& sha256) {
  return {{"name", name}, {"digest", {{"sha256", sha256}}}};
}

json statement(std::string_view predicate_type, json subject, json predicate) {
  return {{"_type", "https://in-toto.io/Statement/v1"},
          {"subject", std::move(subject)},
          {"predicateType", predicate_type},
          {"predicate", std::move(predicate)}};
}

json check_json(const campaign::CheckResult& check) {
  json arms = json::array();
  for (const campaign::ArmResult& arm : check.arms) {
    arms.push_back({{"arm", arm.arm},
                    {"removed", arm.removed},
                    {"expected", arm.expected},
                    {"observed", arm.observed},
                    {"attempts", arm.attempts.size()}});
  }
  return {{"id", check.id},
          {"engine", name_of(check.engine)},
          {"verdict", name_of(check.verdict)},
          {"redundant", check.redundant},
          {"arms", std::move(arms)}};
}

}  // namespace

Result<std::string> test_result_statement(const Evidence& campaign,
                                          const std::string& manifest_sha256) {
  json passed = json::array(), warned = json::array(), failed = json::array();
  for (const campaign::CheckResult& check : campaign.checks) {
    const bool is_failed = check.verdict == campaign::Verdict::Broken ||
                           check.verdict == campaign::Verdict::Error ||
                           check.verdict == campaign::Verdict::Flaky;
    json& list = check.verdict == campaign::Verdict::Held ? passed : is_failed ? failed : warned;
    list.push_back(full_id(check));
  }
  json subject = json::array();
  for (const auto& [name, digest] : campaign.tools) subject.push_back(resource(name, digest));
  if (subject.empty()) subject.push_back(resource("manifest.sha256", manifest_sha256));
  // A vacuous check proves nothing, so the whole is not passed either.
  const char* const result = !failed.empty()              ? "FAILED"
                             : campaign.verdict == "held" ? "PASSED"
                                                          : "WARNED";
  return canonical_json(statement(kTestResult, std::move(subject),
                                  {{"result", result},
                                   {"configuration",
                                    {resource("plan.json", campaign.plan_sha256),
                                     resource("manifest.sha256", manifest_sha256)}},
                                   {"passedTests", std::move(passed)},
                                   {"warnedTests", std::move(warned)},
                                   {"failedTests", std::move(failed)}}));
}

Result<std::string> containment_statement(const Evidence& campaign,
                                          const std::string& manifest_sha256) {
  json counts = json::object();
  for (const campaign::Verdict verdict : campaign::kVerdicts) {
    counts[std::string(name_of(verdict))] = campaign.count(verdict);
  }
  json checks = json::array();
  for (const campaign::CheckResult& check : campaign.checks) checks.push_back(check_json(check));
  json protections = json::object();
  for (const auto& [name, proven] : campaign.protections) {
    protections[name] = proven ? "proven" : "unproven";
  }
  json previous;
  if (campaign.previous) {
    previous = {{"id", campaign.previous->id},
                {"manifestSha256", campaign.previous->manifest_sha256}};
  }
  return canonical_json(statement(kContainmentEvidence,
                                  json::array({resource("manifest.sha256", manifest_sha256)}),
                                  {{"campaign", campaign.id},
                                   {"verdict", campaign.verdict},
                                   {"complete", campaign.complete},
                                   {"planSha256", campaign.plan_sha256},
                                   {"eventsSha256", campaign.events_sha256},
                                   {"previous", std::move(previous)},
                                   {"environment", campaign.environment},
                                   {"tools", campaign.tools},
                                   {"counts", std::move(counts)},
                                   {"protections", std::move(protections)},
                                   {"checks", std::move(checks)}}));
}

Result<std::string> speed_statement(const campaign::Bench& bench,
                                    const std::string& manifest_sha256) {
  json cases = json::array();
  for (const campaign::BenchCase& each : bench.cases)
    cases.push_back({{"case", each.name}, {"pairs", each.pairs}});
  return canonical_json(statement(kSpeedEvidence,
                                  json::array({resource("manifest.sha256", manifest_sha256)}),
                                  {{"bench", bench.id},
                                   {"complete", bench.complete},
                                   {"planSha256", bench.plan_sha256},
                                   {"eventsSha256", bench.events_sha256},
                                   {"environment", bench.environment},
                                   {"tools", bench.tools},
                                   {"cases", std::move(cases)}}));
}

}  // namespace pybox::reports
