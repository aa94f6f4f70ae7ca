#include <nlohmann/json.hpp>

#include "campaign/model/evidence.hpp"
#include "campaign/model/shared_json.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;

json seal_json(const std::optional<SealFacts>& seal) {
  if (!seal) return nullptr;
  return {{"verified", seal->verified}, {"checks", seal->checks}, {"differs", seal->differs}};
}

json series_json(const std::vector<SeriesPoint>& series) {
  json list = json::array();
  for (const SeriesPoint& point : series) {
    list.push_back({micros(point.at), or_null(point.memory_bytes), or_null(point.pids),
                    point.cpu ? json(micros(*point.cpu)) : json()});
  }
  return list;
}

json attempt_json(const AttemptResult& attempt) {
  json object = {{"attempt", attempt.attempt},
                 {"observed", safe_text(attempt.observed)},
                 {"why", safe_text(attempt.why)},
                 {"nonce", attempt.nonce},
                 {"duration_us", micros(attempt.duration)},
                 {"seal", seal_json(attempt.seal)},
                 {"report", or_null(attempt.report)},
                 {"out", or_null(attempt.out)},
                 {"err", or_null(attempt.err)},
                 {"line", safe_text(attempt.line)}};
  if (attempt.series.empty() || !attempt.limits) return object;
  object["series"] = series_json(attempt.series);
  object["limits"] = {{"memory_bytes", attempt.limits->memory_bytes},
                      {"pids", attempt.limits->pids},
                      {"cpu_us_per_s", micros(attempt.limits->cpu_per_s)},
                      {"wall_us", micros(attempt.limits->wall)}};
  return object;
}

json arm_json(const ArmResult& arm) {
  json attempts = json::array();
  for (const AttemptResult& attempt : arm.attempts) attempts.push_back(attempt_json(attempt));
  return {{"arm", arm.arm},
          {"removed", arm.removed},
          {"expected", arm.expected},
          {"observed", safe_text(arm.observed)},
          {"attempts", attempts}};
}

json check_json(const CheckResult& check) {
  json arms = json::array();
  for (const ArmResult& arm : check.arms) arms.push_back(arm_json(arm));
  return {{"id", check.id},
          {"engine", name_of(check.engine)},
          {"area", check.area},
          {"group", check.group},
          {"claim", check.claim},
          {"verdict", name_of(check.verdict)},
          {"why", safe_text(check.why)},
          {"redundant", check.redundant},
          {"arms", arms}};
}

json counts_json(const std::map<Verdict, std::uint32_t>& counts) {
  json object = json::object();
  for (const auto& [verdict, count] : counts) object[std::string(name_of(verdict))] = count;
  return object;
}

}  // namespace

std::string full_id(const CheckResult& check) {
  return check.id + "@" + std::string(name_of(check.engine));
}

Result<std::string> evidence_to_json(const Evidence& evidence) {
  json protections = json::object();
  for (const auto& [name, proven] : evidence.protections)
    protections[name] = proven ? "proven" : "unproven";
  json checks = json::array();
  for (const CheckResult& check : evidence.checks) checks.push_back(check_json(check));
  return as_line({{"schema_version", 1},
                  {"id", evidence.id},
                  {"previous", previous_json(evidence.previous)},
                  {"verdict", evidence.verdict},
                  {"started", evidence.started},
                  {"ended", evidence.ended.empty() ? json() : json(evidence.ended)},
                  {"complete", evidence.complete},
                  {"counts", counts_json(evidence.counts)},
                  {"environment", facts_json(evidence.environment)},
                  {"tools", evidence.tools},
                  {"plan_sha256", evidence.plan_sha256},
                  {"events_sha256", evidence.events_sha256},
                  {"protections", protections},
                  {"matrix", evidence.matrix},
                  {"unmet_expected", evidence.unmet_expected},
                  {"checks", checks}});
}

}  // namespace pybox::campaign
