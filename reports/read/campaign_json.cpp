#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/read/campaign.hpp"
#include "reports/read/fields.hpp"

namespace pybox::reports {
namespace {

using nlohmann::json;

Result<std::map<std::string, std::string>> read_tools(const json& value) {
  std::map<std::string, std::string> tools;
  if (!value.is_object()) return bad("`tools` must be an object");
  for (const auto& [name, digest] : value.items()) {
    if (!digest.is_string() || !is_digest(digest.get_ref<const std::string&>())) {
      return bad("`tools." + visible(name) + "` must be a SHA-256");
    }
    tools[name] = digest.get<std::string>();
  }
  return tools;
}

/// Environment facts are for people: any nesting of objects and lists, made flat.
Result<void> flatten(const json& value, const std::string& name, Facts& facts) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      PYBOX_TRY(flatten(inner, name.empty() ? key : name + "." + key, facts));
    }
    return {};
  }
  if (name.empty()) return bad("`environment` must be an object");
  std::string text;
  if (value.is_array()) {
    for (const json& item : value) {
      if (!text.empty()) text += ", ";
      text += item.is_string() ? item.get<std::string>() : item.dump();
    }
  } else {
    text = value.is_string() ? value.get<std::string>()
           : value.is_null() ? "unknown"
                             : value.dump();
  }
  if (facts.size() >= 1000) return bad("`environment` has more than 1000 facts");
  facts[name] = text;
  return {};
}

Result<SealSummary> read_seal(JsonFields& attempt) {
  JsonFields fields = PYBOX_TRY(attempt.object("seal"));
  SealSummary seal;
  seal.verified = PYBOX_TRY(fields.flag("verified"));
  seal.checks = PYBOX_TRY(fields.count("checks"));
  seal.differs = PYBOX_TRY(read_words(fields, "differs"));
  PYBOX_TRY(fields.finish());
  return seal;
}

Result<std::optional<std::string>> read_blob(JsonFields& fields, const char* key) {
  auto digest = PYBOX_TRY(fields.text_or_null(key));
  if (digest && !is_digest(*digest)) return bad("`" + fields.place(key) + "` must be a SHA-256");
  return digest;
}

Result<Sample> read_sample(const json& value, const std::string& place) {
  const auto number = [&](std::size_t at) -> std::optional<std::uint64_t> {
    return value[at].is_number_unsigned() ? std::optional(value[at].get<std::uint64_t>())
                                          : std::nullopt;
  };
  if (!value.is_array() || value.size() != 4 || !number(0)) {
    return bad("`" + place + "` must be [at_us, memory_bytes, pids, cpu_us]");
  }
  for (const json& item : value) {
    if (!item.is_null() &&
        (!item.is_number_unsigned() || item.get<std::uint64_t>() > kMaxJsonInteger)) {
      return bad("`" + place + "` holds something other than whole numbers and null");
    }
  }
  return Sample{*number(0), number(1), number(2), number(3)};
}

Result<void> read_series(JsonFields& fields, Attempt& attempt) {
  if (fields.has("limits")) {
    JsonFields limits = PYBOX_TRY(fields.object("limits"));
    const auto limit = [&](const char* key) -> Result<std::optional<std::uint64_t>> {
      if (!limits.has(key)) return std::optional<std::uint64_t>();
      return limits.count_or_null(key);
    };
    attempt.limits.memory_bytes = PYBOX_TRY(limit("memory_bytes"));
    attempt.limits.pids = PYBOX_TRY(limit("pids"));
    attempt.limits.cpu_us_per_s = PYBOX_TRY(limit("cpu_us_per_s"));
    attempt.limits.wall_us = PYBOX_TRY(limit("wall_us"));
    PYBOX_TRY(limits.finish());
  }
  if (!fields.has("series")) return {};
  for (const json* item : PYBOX_TRY(fields.list("series", 4096))) {
    attempt.series.push_back(PYBOX_TRY(read_sample(*item, fields.place("series"))));
    const auto size = attempt.series.size();
    if (size > 1 && attempt.series[size - 2].at_us > attempt.series[size - 1].at_us) {
      return bad("`" + fields.place("series") + "` goes back in time");
    }
  }
  return {};
}

Result<Attempt> read_attempt(JsonFields& fields) {
  Attempt attempt;
  attempt.attempt = PYBOX_TRY(fields.count("attempt", 1000));
  attempt.observed = PYBOX_TRY(fields.text("observed", kLongText));
  attempt.why = PYBOX_TRY(fields.text("why", kLongText));
  attempt.nonce = PYBOX_TRY(fields.text("nonce", 64));
  attempt.duration_us = PYBOX_TRY(fields.count("duration_us"));
  if (fields.has("seal")) attempt.seal = PYBOX_TRY(read_seal(fields));
  attempt.report = PYBOX_TRY(read_blob(fields, "report"));
  attempt.out = PYBOX_TRY(read_blob(fields, "out"));
  attempt.err = PYBOX_TRY(read_blob(fields, "err"));
  attempt.line = PYBOX_TRY(fields.text_or_null("line", kLongText)).value_or("");
  PYBOX_TRY(read_series(fields, attempt));
  return attempt;
}

Result<Arm> read_arm(JsonFields& fields) {
  Arm arm;
  arm.name = PYBOX_TRY(read_word(fields, "arm"));
  arm.removed = PYBOX_TRY(read_words(fields, "removed"));
  arm.expected = PYBOX_TRY(read_words(fields, "expected"));
  arm.observed = PYBOX_TRY(fields.text_or_null("observed", kLongText)).value_or("");
  arm.attempts = PYBOX_TRY(read_each<Attempt>(fields, "attempts", 1000, read_attempt));
  return arm;
}

Result<Verdict> read_verdict(const std::string& name, const std::string& place) {
  const auto verdict = verdict_from(name);
  if (!verdict) return bad("`" + place + "` is `" + visible(name) + "`, which is not a verdict");
  return *verdict;
}

Result<Check> read_check(JsonFields& fields) {
  Check check;
  check.id = PYBOX_TRY(read_word(fields, "id"));
  check.engine = PYBOX_TRY(read_word(fields, "engine"));
  check.area = PYBOX_TRY(read_word(fields, "area"));
  check.group = PYBOX_TRY(fields.text("group"));
  check.claim = PYBOX_TRY(fields.text("claim", kLongText));
  const std::string verdict = PYBOX_TRY(fields.text("verdict"));
  check.verdict = PYBOX_TRY(read_verdict(verdict, fields.place("verdict")));
  check.why = PYBOX_TRY(fields.text("why", kLongText));
  check.redundant = PYBOX_TRY(read_words(fields, "redundant"));
  check.arms = PYBOX_TRY(read_each<Arm>(fields, "arms", 100, read_arm));
  std::set<std::string> names;
  for (const Arm& arm : check.arms) {
    if (!names.insert(arm.name).second) {
      return bad("`" + fields.place("arms") + "` has the arm `" + visible(arm.name) + "` twice");
    }
  }
  return check;
}

Result<void> read_counts(JsonFields& fields, Campaign& campaign) {
  JsonFields counts = PYBOX_TRY(fields.object("counts"));
  for (const Verdict verdict : kVerdicts) {
    campaign.counts[verdict] = PYBOX_TRY(counts.count(name_of(verdict)));
  }
  return counts.finish();
}

Result<void> read_protections(const json& root, Campaign& campaign) {
  const json& protections = root["protections"];
  const json& matrix = root["matrix"];
  if (!protections.is_object() || !matrix.is_object()) {
    return bad("`protections` and `matrix` must be objects");
  }
  for (const auto& [name, state] : protections.items()) {
    if (state != "proven" && state != "unproven") {
      return bad("`protections." + visible(name) + "` must be \"proven\" or \"unproven\"");
    }
    campaign.protections[name] = state == "proven";
  }
  for (const auto& [name, checks] : matrix.items()) {
    std::vector<std::string>& names = campaign.matrix[name];
    if (!checks.is_array()) return bad("`matrix." + visible(name) + "` must be a list");
    for (const json& check : checks) {
      if (!check.is_string()) return bad("`matrix." + visible(name) + "` must hold check names");
      names.push_back(check.get<std::string>());
    }
  }
  return {};
}

/// What the parts of the document say about each other.
Result<void> check_consistency(const Campaign& campaign) {
  std::set<std::string> ids;
  std::map<Verdict, std::uint64_t> counted;
  for (const Check& check : campaign.checks) {
    if (!ids.insert(check.full_id()).second) {
      return bad("the check `" + visible(check.full_id()) + "` appears twice");
    }
    ++counted[check.verdict];
  }
  for (const Verdict verdict : kVerdicts) {
    if (campaign.count(verdict) != counted[verdict]) {
      return bad("`counts." + std::string(name_of(verdict)) + "` is " +
                 std::to_string(campaign.count(verdict)) + ", but the checks give " +
                 std::to_string(counted[verdict]));
    }
  }
  static constexpr std::string_view kWhole[] = {"held",  "broken", "error",     "vacuous",
                                                "flaky", "unmet",  "incomplete"};
  if (std::find(std::begin(kWhole), std::end(kWhole), campaign.verdict) == std::end(kWhole)) {
    return bad("`verdict` is `" + visible(campaign.verdict) +
               "`, which is not a verdict of a campaign");
  }
  return {};
}

Result<Campaign> read_root(const json& root) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  Campaign campaign;
  if (PYBOX_TRY(fields.count("schema_version")) != 1) return bad("`schema_version` must be 1");
  campaign.id = PYBOX_TRY(read_word(fields, "id"));
  if (fields.has("previous")) {
    JsonFields link = PYBOX_TRY(fields.object("previous"));
    const std::string id = PYBOX_TRY(read_word(link, "id"));
    campaign.previous = Link{id, PYBOX_TRY(read_digest(link, "manifest_sha256"))};
    PYBOX_TRY(link.finish());
  }
  campaign.verdict = PYBOX_TRY(fields.text("verdict"));
  campaign.started = PYBOX_TRY(fields.text("started", 64));
  campaign.ended = PYBOX_TRY(fields.text_or_null("ended", 64)).value_or("");
  campaign.complete = PYBOX_TRY(fields.flag("complete"));
  PYBOX_TRY(read_counts(fields, campaign));
  campaign.plan_sha256 = PYBOX_TRY(read_digest(fields, "plan_sha256"));
  campaign.events_sha256 = PYBOX_TRY(read_digest(fields, "events_sha256"));
  for (const char* key : {"environment", "tools", "protections", "matrix"}) {
    if (!fields.has(key)) return bad("`" + std::string(key) + "` is missing");
  }
  PYBOX_TRY(flatten(root["environment"], "", campaign.environment));
  campaign.tools = PYBOX_TRY(read_tools(root["tools"]));
  PYBOX_TRY(read_protections(root, campaign));
  campaign.unmet_expected = PYBOX_TRY(read_words(fields, "unmet_expected"));
  campaign.checks = PYBOX_TRY(read_each<Check>(fields, "checks", 5000, read_check));
  PYBOX_TRY(fields.finish());
  PYBOX_TRY(check_consistency(campaign));
  return campaign;
}

Result<PastRun> read_past_run(JsonFields& fields, const json& value) {
  PastRun run;
  run.id = PYBOX_TRY(read_word(fields, "id"));
  run.ended = PYBOX_TRY(fields.text("ended", 64));
  run.verdict = PYBOX_TRY(fields.text("verdict", 64));
  run.manifest_sha256 = PYBOX_TRY(read_digest(fields, "manifest_sha256"));
  if (!fields.has("checks") || !value["checks"].is_object()) {
    return bad("`" + fields.place("checks") + "` must be an object");
  }
  for (const auto& [name, verdict] : value["checks"].items()) {
    if (!verdict.is_string()) return bad("`" + fields.place("checks") + "` must hold verdicts");
    run.checks[name] = PYBOX_TRY(read_verdict(verdict.get<std::string>(), fields.place("checks")));
  }
  PYBOX_TRY(fields.finish());
  return run;
}

}  // namespace

Result<Campaign> read_campaign(std::string_view text) {
  auto root = parse_json(text);
  if (!root) return std::move(root).error().as(ErrorKind::Evidence);
  auto campaign = read_root(*root);
  if (!campaign) return std::move(campaign).error().as(ErrorKind::Evidence);
  return campaign;
}

Result<std::vector<PastRun>> read_history(std::string_view text) {
  const json root = PYBOX_TRY(parse_json(text));
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  if (PYBOX_TRY(fields.count("schema_version")) != 1) return bad("`schema_version` must be 1");
  std::vector<PastRun> runs;
  for (const json* value : PYBOX_TRY(fields.list("runs", 19))) {
    JsonFields run = PYBOX_TRY(JsonFields::of(*value, "runs[" + std::to_string(runs.size()) + "]"));
    runs.push_back(PYBOX_TRY(read_past_run(run, *value)));
  }
  PYBOX_TRY(fields.finish());
  return runs;
}

}  // namespace pybox::reports
