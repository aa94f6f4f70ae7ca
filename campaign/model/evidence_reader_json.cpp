#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "campaign/model/blobs.hpp"
#include "campaign/model/evidence.hpp"
#include "campaign/model/shared_json.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;

Error bad(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

/// Reads a list of objects, each by `read` and then without an unknown key.
template <class Item>
Result<std::vector<Item>> read_each(JsonFields& fields, std::string_view key, std::size_t most,
                                    Result<Item> (*read)(JsonFields&)) {
  std::vector<Item> items;
  for (const json* value : PYBOX_TRY(fields.list(key, most))) {
    const std::string place = fields.place(key) + "[" + std::to_string(items.size()) + "]";
    JsonFields item = PYBOX_TRY(JsonFields::of(*value, place));
    items.push_back(PYBOX_TRY(read(item)));
    PYBOX_TRY(item.finish());
  }
  return items;
}

Result<SealFacts> read_seal(JsonFields& attempt) {
  JsonFields fields = PYBOX_TRY(attempt.object("seal"));
  SealFacts seal;
  seal.verified = PYBOX_TRY(fields.flag("verified"));
  seal.checks = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("checks", 1'000'000)));
  seal.differs = PYBOX_TRY(texts_of(fields, "differs"));
  PYBOX_TRY(fields.finish());
  return seal;
}

Result<std::optional<std::string>> read_blob(JsonFields& fields, const char* key) {
  if (!fields.has(key)) return PYBOX_TRY(fields.text_or_null(key));
  return std::optional(PYBOX_TRY(digest_of(fields, key)));
}

Result<SeriesPoint> read_point(const json& value, const std::string& place) {
  bool fits = value.is_array() && value.size() == 4 && value[0].is_number_unsigned();
  for (std::size_t i = 0; fits && i < value.size(); ++i)
    fits = value[i].is_null() ||
           (value[i].is_number_unsigned() && value[i].get<std::uint64_t>() <= kMaxJsonInteger);
  if (!fits) return bad("`" + place + "` must be [at_us, memory_bytes, pids, cpu_us]");
  const auto number = [&](std::size_t at) {
    return value[at].is_null() ? std::nullopt : std::optional(value[at].get<std::uint64_t>());
  };
  SeriesPoint point{from_micros(*number(0)), number(1), number(2), {}};
  if (const auto cpu = number(3)) point.cpu = from_micros(*cpu);
  return point;
}

Result<void> read_series(JsonFields& fields, AttemptResult& attempt) {
  if (fields.has("limits")) {
    JsonFields limits = PYBOX_TRY(fields.object("limits"));
    SeriesLimits& read = attempt.limits.emplace();
    read.memory_bytes = PYBOX_TRY(limits.count("memory_bytes"));
    read.pids = PYBOX_TRY(limits.count("pids"));
    read.cpu_per_s = from_micros(PYBOX_TRY(limits.count("cpu_us_per_s")));
    read.wall = from_micros(PYBOX_TRY(limits.count("wall_us")));
    PYBOX_TRY(limits.finish());
  }
  if (!fields.has("series")) return {};
  for (const json* item : PYBOX_TRY(fields.list("series", 4096))) {
    const SeriesPoint point = PYBOX_TRY(read_point(*item, fields.place("series")));
    if (!attempt.series.empty() && point.at < attempt.series.back().at)
      return bad("`" + fields.place("series") + "` goes back in time");
    attempt.series.push_back(point);
  }
  return {};
}

Result<AttemptResult> read_attempt(JsonFields& fields) {
  AttemptResult attempt;
  attempt.attempt = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("attempt", 1000)));
  attempt.observed = PYBOX_TRY(fields.text("observed", kLongText));
  attempt.why = PYBOX_TRY(fields.text("why", kLongText));
  attempt.nonce = PYBOX_TRY(fields.text("nonce", 64));
  attempt.duration = from_micros(PYBOX_TRY(fields.count("duration_us")));
  if (fields.has("seal")) attempt.seal = PYBOX_TRY(read_seal(fields));
  attempt.report = PYBOX_TRY(read_blob(fields, "report"));
  attempt.out = PYBOX_TRY(read_blob(fields, "out"));
  attempt.err = PYBOX_TRY(read_blob(fields, "err"));
  attempt.line = PYBOX_TRY(fields.text_or_null("line", kLongText)).value_or("");
  PYBOX_TRY(read_series(fields, attempt));
  return attempt;
}

Result<ArmResult> read_arm(JsonFields& fields) {
  ArmResult arm;
  arm.arm = PYBOX_TRY(word_of(fields, "arm"));
  arm.removed = PYBOX_TRY(texts_of(fields, "removed"));
  arm.expected = PYBOX_TRY(texts_of(fields, "expected"));
  arm.observed = PYBOX_TRY(fields.text_or_null("observed", kLongText)).value_or("");
  arm.attempts = PYBOX_TRY(read_each<AttemptResult>(fields, "attempts", 1000, read_attempt));
  return arm;
}

Result<CheckResult> read_check(JsonFields& fields) {
  CheckResult check;
  check.id = PYBOX_TRY(word_of(fields, "id"));
  check.engine = PYBOX_TRY(engine_of(fields));
  check.area = PYBOX_TRY(word_of(fields, "area"));
  check.group = PYBOX_TRY(fields.text("group"));
  check.claim = PYBOX_TRY(fields.text("claim", kLongText));
  check.verdict = PYBOX_TRY(verdict_of(fields, "verdict"));
  check.why = PYBOX_TRY(fields.text("why", kLongText));
  check.redundant = PYBOX_TRY(texts_of(fields, "redundant"));
  check.arms = PYBOX_TRY(read_each<ArmResult>(fields, "arms", 100, read_arm));
  std::set<std::string> names;
  for (const ArmResult& arm : check.arms) {
    if (!names.insert(arm.arm).second)
      return bad("`" + fields.place("arms") + "` has the arm `" + visible(arm.arm) + "` twice");
  }
  return check;
}

Result<void> read_protections(JsonFields& fields, const json& root, Evidence& evidence) {
  for (const auto& [name, state] : PYBOX_TRY(text_map_of(fields, root, "protections"))) {
    if (state != "proven" && state != "unproven")
      return bad("`protections." + visible(name) + "` must be \"proven\" or \"unproven\"");
    evidence.protections[name] = state == "proven";
  }
  JsonFields matrix = PYBOX_TRY(fields.object("matrix"));
  for (const auto& [name, checks] : root.at("matrix").items())
    evidence.matrix[name] = PYBOX_TRY(texts_of(matrix, name, kMostChecks));
  return {};
}

/// What the parts of the document say about each other.
Result<void> check_consistency(const Evidence& evidence) {
  std::set<std::string> ids;
  std::map<Verdict, std::uint32_t> counted;
  for (const CheckResult& check : evidence.checks) {
    if (!ids.insert(full_id(check)).second)
      return bad("the check `" + visible(full_id(check)) + "` appears twice");
    ++counted[check.verdict];
  }
  for (const Verdict verdict : kVerdicts) {
    if (evidence.count(verdict) != counted[verdict])
      return bad("`counts." + std::string(name_of(verdict)) + "` is " +
                 std::to_string(evidence.count(verdict)) + ", but the checks give " +
                 std::to_string(counted[verdict]));
  }
  const auto whole = verdict_from(evidence.verdict);
  if (evidence.verdict == "incomplete" || (whole && *whole != Verdict::NotApplicable)) return {};
  return bad("`verdict` is `" + visible(evidence.verdict) +
             "`, which is not a verdict of a campaign");
}

Result<Evidence> read_root(const json& root) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  if (PYBOX_TRY(fields.count("schema_version")) != 1) return bad("`schema_version` must be 1");
  Evidence evidence;
  evidence.id = PYBOX_TRY(word_of(fields, "id"));
  evidence.previous = PYBOX_TRY(previous_of(fields));
  evidence.verdict = PYBOX_TRY(fields.text("verdict"));
  evidence.started = PYBOX_TRY(fields.text("started", 64));
  evidence.ended = PYBOX_TRY(fields.text_or_null("ended", 64)).value_or("");
  evidence.complete = PYBOX_TRY(fields.flag("complete"));
  JsonFields counts = PYBOX_TRY(fields.object("counts"));
  for (const Verdict verdict : kVerdicts)
    evidence.counts[verdict] =
        static_cast<std::uint32_t>(PYBOX_TRY(counts.count(name_of(verdict), kMostChecks)));
  PYBOX_TRY(counts.finish());
  evidence.plan_sha256 = PYBOX_TRY(digest_of(fields, "plan_sha256"));
  evidence.events_sha256 = PYBOX_TRY(digest_of(fields, "events_sha256"));
  evidence.environment = PYBOX_TRY(text_map_of(fields, root, "environment"));
  evidence.tools = PYBOX_TRY(text_map_of(fields, root, "tools"));
  for (const auto& [name, digest] : evidence.tools) {
    if (!is_digest(digest)) return bad("`tools." + visible(name) + "` must be a SHA-256");
  }
  PYBOX_TRY(read_protections(fields, root, evidence));
  evidence.unmet_expected = PYBOX_TRY(texts_of(fields, "unmet_expected", kMostChecks));
  evidence.checks = PYBOX_TRY(read_each<CheckResult>(fields, "checks", kMostChecks, read_check));
  PYBOX_TRY(fields.finish());
  PYBOX_TRY(check_consistency(evidence));
  return evidence;
}

}  // namespace

const ArmResult* CheckResult::arm(std::string_view name) const {
  const auto found = std::find_if(arms.begin(), arms.end(),
                                  [&](const ArmResult& each) { return each.arm == name; });
  return found == arms.end() ? nullptr : &*found;
}

std::uint32_t Evidence::count(Verdict of) const {
  const auto found = counts.find(of);
  return found == counts.end() ? 0 : found->second;
}

std::size_t Evidence::proven() const {
  return static_cast<std::size_t>(std::count_if(protections.begin(), protections.end(),
                                                [](const auto& each) { return each.second; }));
}

Result<Evidence> evidence_from_json(std::string_view text) {
  auto root = parse_json(text);
  if (!root) return std::move(root).error().as(ErrorKind::Evidence);
  auto evidence = read_root(*root);
  if (!evidence) return std::move(evidence).error().as(ErrorKind::Evidence);
  return evidence;
}

}  // namespace pybox::campaign
