#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/verify/parts.hpp"
#include "reports/verify/rules.hpp"

namespace pybox::reports::verify {
namespace {

using nlohmann::json;

constexpr std::size_t kLong = 1U << 20U;

Result<std::vector<std::string>> words(JsonFields& fields, const char* key) {
  std::vector<std::string> out;
  for (const json* item : PYBOX_TRY(fields.list(key, 5000))) {
    if (!item->is_string())
      return wrong("`" + fields.place(key) + "` holds something else than text");
    out.push_back(item->get<std::string>());
  }
  return out;
}

/// What the events say about one attempt must be what campaign.json says.
Result<void> match_event(const EndedArm& event, const std::string& key, JsonFields& fields,
                         const Arm& arm) {
  const auto same = [&](const char* name, const std::string& expected) -> Result<void> {
    const std::string found = PYBOX_TRY(fields.text_or_null(name)).value_or("");
    if (found == expected) return {};
    return wrong("`" + fields.place(name) + "` is not what events.jsonl has for " + visible(key));
  };
  PYBOX_TRY(same("nonce", event.nonce));
  PYBOX_TRY(same("report", event.report));
  PYBOX_TRY(same("out", event.out));
  PYBOX_TRY(same("err", event.err));
  const std::uint64_t duration = PYBOX_TRY(fields.count("duration_us"));
  if (duration != event.duration_us || arm.removed != event.removed) {
    return wrong("`" + fields.place("duration_us") +
                 "` or `removed` is not what events.jsonl has for " + visible(key));
  }
  return {};
}

Result<Attempt> read_attempt(JsonFields& fields, const Arm& arm, const std::string& full_id,
                             const Events& events) {
  Attempt attempt;
  attempt.number = PYBOX_TRY(fields.count("attempt", 100000));
  attempt.observed = PYBOX_TRY(fields.text("observed", kLong));
  PYBOX_TRY(fields.text("why", kLong));
  PYBOX_TRY(fields.text_or_null("line", kLong));
  if (fields.has("series")) PYBOX_TRY(fields.list("series", 100000));
  if (fields.has("limits")) PYBOX_TRY(fields.object("limits"));
  if (fields.has("seal")) {
    JsonFields seal = PYBOX_TRY(fields.object("seal"));
    attempt.seal_verified = PYBOX_TRY(seal.flag("verified"));
    attempt.has_seal = PYBOX_TRY(seal.count("checks")) > 0;
    attempt.differs = PYBOX_TRY(words(seal, "differs"));
    PYBOX_TRY(seal.finish());
  }
  const std::string key = arm_key(full_id, arm.name, attempt.number);
  const auto event = events.ended.find(key);
  if (event == events.ended.end()) {
    return wrong("`" + fields.place("attempt") +
                 "`: events.jsonl has no such attempt: " + visible(key));
  }
  PYBOX_TRY(match_event(event->second, key, fields, arm));
  PYBOX_TRY(fields.finish());
  return attempt;
}

Result<Arm> read_arm(const json& value, const std::string& place, const std::string& full_id,
                     const Events& events) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, place));
  Arm arm;
  arm.name = PYBOX_TRY(fields.text("arm"));
  arm.removed = PYBOX_TRY(words(fields, "removed"));
  arm.expected = PYBOX_TRY(words(fields, "expected"));
  arm.observed = PYBOX_TRY(fields.text_or_null("observed", kLong)).value_or("");
  for (const json* item : PYBOX_TRY(fields.list("attempts", 100000))) {
    const std::string at = place + ".attempts[" + std::to_string(arm.attempts.size()) + "]";
    JsonFields attempt = PYBOX_TRY(JsonFields::of(*item, at));
    arm.attempts.push_back(PYBOX_TRY(read_attempt(attempt, arm, full_id, events)));
  }
  PYBOX_TRY(fields.finish());
  return arm;
}

Result<Check> read_check(const json& value, const std::string& place, const Events& events) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, place));
  Check check;
  const std::string id = PYBOX_TRY(fields.text("id"));
  check.full_id = id + "@" + PYBOX_TRY(fields.text("engine"));
  check.verdict = PYBOX_TRY(fields.text("verdict"));
  for (const char* key : {"area", "group", "claim", "why"}) PYBOX_TRY(fields.text(key, kLong));
  check.redundant = PYBOX_TRY(words(fields, "redundant"));
  check.has_unmet_event = events.unmet.contains(check.full_id);
  for (const json* item : PYBOX_TRY(fields.list("arms", 1000))) {
    const std::string at = place + ".arms[" + std::to_string(check.arms.size()) + "]";
    check.arms.push_back(PYBOX_TRY(read_arm(*item, at, check.full_id, events)));
  }
  PYBOX_TRY(fields.finish());
  return check;
}

Result<void> read_derived(const json& root, JsonFields& fields, Whole& whole) {
  JsonFields counts = PYBOX_TRY(fields.object("counts"));
  for (const std::string_view name : kVerdictNames) {
    whole.counts[std::string(name)] = PYBOX_TRY(counts.count(name));
  }
  PYBOX_TRY(counts.finish());
  PYBOX_TRY(fields.object("protections"));
  PYBOX_TRY(fields.object("matrix"));
  for (const auto& [name, state] : root["protections"].items()) {
    if (state != "proven" && state != "unproven") {
      return wrong("`protections." + visible(name) + "` is neither proven nor unproven");
    }
    whole.proven[name] = state == "proven";
  }
  for (const auto& [name, list] : root["matrix"].items()) {
    if (!list.is_array()) return wrong("`matrix." + visible(name) + "` is not a list");
    for (const json& item : list) {
      if (!item.is_string())
        return wrong("`matrix." + visible(name) + "` holds something else than text");
      whole.matrix[name].insert(item.get<std::string>());
    }
  }
  const auto expected = PYBOX_TRY(words(fields, "unmet_expected"));
  whole.unmet_expected.insert(expected.begin(), expected.end());
  return {};
}

Result<Summary> read_root(const json& root, const Events& events) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  if (PYBOX_TRY(fields.count("schema_version")) != 1) return wrong("`schema_version` is not 1");
  Summary summary;
  Whole whole;
  summary.campaign = PYBOX_TRY(fields.text("id"));
  summary.verdict = whole.verdict = PYBOX_TRY(fields.text("verdict"));
  summary.complete = whole.complete = PYBOX_TRY(fields.flag("complete"));
  summary.plan_sha256 = PYBOX_TRY(fields.text("plan_sha256"));
  summary.events_sha256 = PYBOX_TRY(fields.text("events_sha256"));
  PYBOX_TRY(fields.text("started"));
  PYBOX_TRY(fields.text_or_null("ended"));
  PYBOX_TRY(fields.object("environment"));
  PYBOX_TRY(fields.object("tools"));
  if (fields.has("previous")) {
    JsonFields previous = PYBOX_TRY(fields.object("previous"));
    summary.previous_id = PYBOX_TRY(previous.text("id"));
    summary.previous_manifest = PYBOX_TRY(previous.text("manifest_sha256"));
    PYBOX_TRY(previous.finish());
  }
  PYBOX_TRY(read_derived(root, fields, whole));
  for (const json* item : PYBOX_TRY(fields.list("checks", 100000))) {
    const std::string place = "checks[" + std::to_string(whole.checks.size()) + "]";
    whole.checks.push_back(PYBOX_TRY(read_check(*item, place, events)));
  }
  PYBOX_TRY(fields.finish());
  PYBOX_TRY(check_rules(whole));
  summary.checks = whole.checks.size();
  for (const Check& check : whole.checks) {
    summary.arms += check.arms.size();
    for (const Arm& arm : check.arms) {
      summary.attempts += arm.attempts.size();
      for (const Attempt& attempt : arm.attempts) {
        if (!summary.seen.insert(arm_key(check.full_id, arm.name, attempt.number)).second) {
          return wrong("an attempt appears twice: " + visible(check.full_id + " " + arm.name));
        }
      }
      summary.planned[check.full_id][arm.name] = {arm.removed, arm.expected};
    }
    summary.planned[check.full_id];
  }
  return summary;
}

}  // namespace

Result<Summary> check_campaign(std::string_view text, const Events& events) {
  const json root = PYBOX_TRY_CONTEXT(parse_json(text), "campaign.json");
  auto summary = read_root(root, events);
  if (!summary) return std::move(summary).error().as(ErrorKind::Evidence).context("campaign.json");
  PYBOX_TRY(check_form(text, "campaign.json"));
  for (const auto& [key, arm] : events.ended) {
    if (!summary->seen.contains(key)) {
      return wrong("campaign.json leaves out an attempt that events.jsonl has: " + visible(key));
    }
  }
  return summary;
}

}  // namespace pybox::reports::verify
