#include "campaign/model/shared_json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
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
