#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/verify/parts.hpp"

namespace pybox::reports::verify {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

/// A list of texts; anything else is an error that names the place.
Result<Words> words(const json& object, const char* key, const std::string& place) {
  Words out;
  const auto list = object.find(key);
  if (list == object.end() || !list->is_array()) return wrong(place + " has no list `" + key + "`");
  for (const json& item : *list) {
    if (!item.is_string()) return wrong(place + ": `" + key + "` holds something else than text");
    out.push_back(item.get<std::string>());
  }
  return out;
}

Result<std::string> text(const json& object, const char* key, const std::string& place) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_string())
    return wrong(place + " has no text `" + key + "`");
  return value->get<std::string>();
}

/// The planned arms of one check were the ones that were run, and had to show what was planned.
Result<void> check_arms(const json& planned, const std::string& id, const Summary& summary) {
  const std::string place = "plan.json: " + visible(id);
  const auto& arms = summary.planned.at(id);
  const auto listed = planned.find("arms");
  if (listed == planned.end() || !listed->is_array()) return wrong(place + " has no list `arms`");
  if (!arms.empty() && arms.size() != listed->size()) {
    return wrong(place + " has other arms than campaign.json");
  }
  const json expected = planned.value("expected", json::object());
  std::set<std::string> seen;
  for (const json& arm : *listed) {
    if (!arm.is_object()) return wrong(place + " has an arm that is not an object");
    const std::string name = PYBOX_TRY(text(arm, "arm", place));
    if (!seen.insert(name).second)
      return wrong(place + " plans the arm " + visible(name) + " twice");
    const Words removed = PYBOX_TRY(words(arm, "removed", place));
    const auto run = arms.find(name);
    if (arms.empty()) continue;
    if (run == arms.end() || run->second.removed != removed) {
      return wrong(place + ": the arm " + visible(name) + " is another in campaign.json");
    }
    if (!expected.is_object() || !expected.contains(name)) continue;
    if (PYBOX_TRY(words(expected, name.c_str(), place)) != run->second.expected) {
      return wrong(place + ": what " + visible(name) +
                   " must show was changed after the plan was signed");
    }
  }
  return {};
}

}  // namespace

Result<PlanFacts> check_plan(std::string_view plan, const Summary& summary) {
  const json root = PYBOX_TRY_CONTEXT(parse_json(plan), "plan.json");
  if (!root.is_object() || !root.contains("checks") || !root["checks"].is_array()) {
    return wrong("plan.json has no list `checks`");
  }
  if (PYBOX_TRY(text(root, "id", "plan.json")) != summary.campaign) {
    return wrong("plan.json is the plan of another campaign");
  }
  PYBOX_TRY(check_form(plan, "plan.json"));
  PlanFacts facts;
  std::set<std::string> seen;
  for (const json& planned : root["checks"]) {
    if (!planned.is_object()) return wrong("plan.json has a check that is not an object");
    const std::string name = PYBOX_TRY(text(planned, "id", "plan.json"));
    const std::string id = name + "@" + PYBOX_TRY(text(planned, "engine", "plan.json"));
    // Counted twice, it would stand for one that was never planned.
    if (!seen.insert(id).second) return wrong("plan.json plans a check twice: " + visible(id));
    ++facts.checks;
    if (!summary.planned.contains(id)) {
      return wrong("campaign.json leaves out a check that was planned: " + visible(id));
    }
    PYBOX_TRY(check_arms(planned, id, summary));
    const json texts = planned.value("texts", json::object());
    if (!texts.is_object()) continue;
    for (const auto& [what, digest] : texts.items()) {
      if (digest.is_string()) facts.blobs.insert(digest.get<std::string>());
    }
  }
  if (facts.checks != summary.planned.size()) {
    return wrong("campaign.json has checks that were never planned");
  }
  return facts;
}

}  // namespace pybox::reports::verify
