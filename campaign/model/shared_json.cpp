#include "campaign/model/shared_json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "campaign/model/blobs.hpp"
#include "receipt/canonical_json.hpp"

namespace pybox::campaign {

using nlohmann::json;

json safe_text(std::string_view text) { return visible(text, Lines::Keep); }

json safe_list(const std::vector<std::string>& texts) {
  json list = json::array();
  for (const std::string& text : texts) list.push_back(safe_text(text));
  return list;
}

json or_null(const std::optional<std::string>& text) { return text ? json(*text) : json(); }
json or_null(const std::optional<std::uint64_t>& count) { return count ? json(*count) : json(); }

json previous_json(const std::optional<PreviousRun>& previous) {
  if (!previous) return nullptr;
  return {{"id", previous->id}, {"manifest_sha256", previous->manifest_sha256}};
}

json facts_json(const std::map<std::string, std::string>& facts) {
  json object = json::object();
  for (const auto& [name, fact] : facts) object[name] = safe_text(fact);
  return object;
}

std::uint64_t micros(Nanos time) {
  return time.count() < 0 ? 0 : static_cast<std::uint64_t>(time.count() / 1000);
}
Nanos from_micros(std::uint64_t count) {
  return std::chrono::microseconds(static_cast<std::int64_t>(count));
}

Result<std::string> as_line(const json& value) { return PYBOX_TRY(canonical_json(value)) + "\n"; }

Result<LineHead> line_head_of(JsonFields& fields) {
  LineHead head;
  head.seq = PYBOX_TRY(fields.count("seq"));
  head.prev = PYBOX_TRY(fields.text("prev", 64));
  head.at = from_micros(PYBOX_TRY(fields.count("at_us", std::uint64_t{1} << 50U)));
  head.utc = PYBOX_TRY(fields.text("utc", 64));
  return head;
}

void put_line_head(json& object, const LineHead& head) {
  object["seq"] = head.seq;
  object["prev"] = head.prev;
  object["at_us"] = micros(head.at);
  object["utc"] = head.utc;
}

Result<std::string> word_of(JsonFields& fields, std::string_view key) {
  std::string word = PYBOX_TRY(fields.text(key, 255));
  if (!word.empty()) return word;
  return Error(ErrorKind::Evidence, "`" + fields.place(key) + "` is empty");
}

Result<std::string> digest_of(JsonFields& fields, std::string_view key) {
  std::string digest = PYBOX_TRY(fields.text(key));
  if (is_digest(digest)) return digest;
  return Error(ErrorKind::Evidence, "`" + fields.place(key) + "` must be a SHA-256 in hex digits");
}

Result<EngineKind> engine_of(JsonFields& fields) {
  const std::string name = PYBOX_TRY(fields.text("engine"));
  if (const auto engine = engine_from(name)) return *engine;
  return Error(ErrorKind::Evidence, "`" + fields.place("engine") + "` is not an engine");
}

Result<Verdict> verdict_of(JsonFields& fields, std::string_view key) {
  const std::string name = PYBOX_TRY(fields.text(key));
  if (const auto verdict = verdict_from(name)) return *verdict;
  return Error(ErrorKind::Evidence,
               "`" + fields.place(key) + "` is `" + visible(name) + "`, which is not a verdict");
}

Result<std::optional<PreviousRun>> previous_of(JsonFields& fields) {
  if (!fields.has("previous")) return std::optional<PreviousRun>();
  JsonFields previous = PYBOX_TRY(fields.object("previous"));
  PreviousRun run{PYBOX_TRY(word_of(previous, "id")), {}};
  run.manifest_sha256 = PYBOX_TRY(digest_of(previous, "manifest_sha256"));
  PYBOX_TRY(previous.finish());
  return std::optional(std::move(run));
}

Result<std::vector<std::string>> texts_of(JsonFields& fields, std::string_view key,
                                          std::size_t max_items) {
  std::vector<std::string> texts;
  const auto items = PYBOX_TRY(fields.list(key, max_items));
  for (const json* item : items) {
    if (!item->is_string())
      return Error(ErrorKind::Protocol, "`" + fields.place(key) + "` must hold texts");
    texts.push_back(item->get<std::string>());
  }
  return texts;
}

Result<std::map<std::string, std::string>> text_map_of(JsonFields& fields, const json& object,
                                                       std::string_view key) {
  PYBOX_TRY(fields.object(key));
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : object.at(std::string(key)).items()) {
    if (!value.is_string())
      return Error(ErrorKind::Protocol, "`" + fields.place(key) + "` must hold texts");
    texts[name] = value.get<std::string>();
  }
  return texts;
}

}  // namespace pybox::campaign
