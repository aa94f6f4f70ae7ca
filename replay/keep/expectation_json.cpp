#include <map>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "replay/keep/expectation.hpp"

namespace pybox::replay {
namespace {

using nlohmann::json;

/// Name of what was found to its value: "net.loopback@vm" to "held", "net.loopback@vm control" to
/// "reached", "the whole" to "held".
using Findings = std::map<std::string, std::string>;

Findings findings_in(const json& root) {
  Findings found;
  found["the whole"] = root.at("verdict").get<std::string>();
  for (const json& check : root.at("checks")) {
    const std::string id = check.at("id").get<std::string>();
    found[id] = check.at("verdict").get<std::string>();
    for (const auto& [arm, observed] : check.at("arms").items())
      found[id + " " + arm] = observed.get<std::string>();
  }
  return found;
}

bool has_shape(const json& root) {
  const auto is_text = [](const json& object, const char* key) {
    return object.contains(key) && object[key].is_string();
  };
  if (!root.is_object() || !is_text(root, "verdict") || !is_text(root, "campaign_sha256") ||
      !is_text(root, "environment_sha256") || !root.contains("checks") ||
      !root["checks"].is_array())
    return false;
  for (const json& check : root["checks"]) {
    if (!check.is_object() || !is_text(check, "id") || !is_text(check, "verdict") ||
        !check.contains("arms") || !check["arms"].is_object())
      return false;
    for (const auto& [arm, observed] : check["arms"].items()) {
      if (!observed.is_string()) return false;
    }
  }
  return true;
}

/// campaign.json without the protections it says nothing about: a new one is no drift.
Result<std::string> own_part(campaign::Evidence judged) {
  std::erase_if(judged.protections, [](const auto& each) { return !each.second; });
  std::erase_if(judged.matrix, [](const auto& each) { return each.second.empty(); });
  return campaign::evidence_to_json(judged);
}

}  // namespace

std::string_view name_of(DriftKind kind) {
  switch (kind) {
    case DriftKind::Verdict: return "verdict";
    case DriftKind::Environment: return "environment";
    case DriftKind::Format: return "format";
  }
  return "format";
}

Result<std::string> expectation(const campaign::Evidence& judged) {
  json checks = json::array();
  for (const campaign::CheckResult& check : judged.checks) {
    json arms = json::object();
    for (const campaign::ArmResult& arm : check.arms) arms[arm.arm] = visible(arm.observed);
    checks.push_back({{"id", campaign::full_id(check)},
                      {"verdict", std::string(campaign::name_of(check.verdict))},
                      {"arms", arms}});
  }
  const std::string whole = PYBOX_TRY(own_part(judged));
  const json root = {{"schema_version", 1},
                     {"verdict", judged.verdict},
                     {"checks", checks},
                     {"environment_sha256", sha256_hex(json(judged.environment).dump())},
                     {"campaign_sha256", sha256_hex(whole)}};
  return PYBOX_TRY(canonical_json(root)) + "\n";
}

std::vector<Drift> drifts(std::string_view expected, std::string_view today) {
  std::vector<Drift> found;
  if (expected == today) return found;
  const auto old_root = parse_json(expected);
  const auto new_root = parse_json(today);
  if (!old_root || !new_root || !has_shape(*old_root) || !has_shape(*new_root)) {
    found.push_back({DriftKind::Format, "expect.json is not of the shape that is written today"});
    return found;
  }
  const Findings was = findings_in(*old_root);
  const Findings is = findings_in(*new_root);
  for (const auto& [name, value] : is) {
    const auto expected_value = was.find(name);
    if (expected_value == was.end()) {
      found.push_back({DriftKind::Verdict, name + ": " + value + ", expected nothing"});
    } else if (expected_value->second != value) {
      found.push_back({DriftKind::Verdict,
                       name + ": " + value + ", expected " + visible(expected_value->second)});
    }
  }
  for (const auto& [name, value] : was) {
    if (!is.contains(name))
      found.push_back({DriftKind::Verdict, visible(name) + ": gone, expected " + visible(value)});
  }
  if ((*old_root)["environment_sha256"] != (*new_root)["environment_sha256"])
    found.push_back(
        {DriftKind::Environment, "the environment is read otherwise than when it was recorded"});
  if (found.empty())
    found.push_back(
        {DriftKind::Format, "the same verdicts, and campaign.json differs in its bytes"});
  return found;
}

}  // namespace pybox::replay
