#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/read/fields.hpp"

namespace pybox::reports {

Error bad(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

bool is_digest(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<std::string> read_digest(JsonFields& fields, std::string_view key) {
  std::string text = PYBOX_TRY(fields.text(key));
  if (!is_digest(text)) return bad("`" + fields.place(key) + "` must be a SHA-256 in hex digits");
  return text;
}

Result<std::string> read_word(JsonFields& fields, std::string_view key) {
  std::string text = PYBOX_TRY(fields.text(key, 255));
  if (text.empty()) return bad("`" + fields.place(key) + "` must not be empty");
  return text;
}

Result<std::vector<std::string>> read_words(JsonFields& fields, std::string_view key) {
  std::vector<std::string> words;
  for (const nlohmann::json* item : PYBOX_TRY(fields.list(key, 5000))) {
    if (!item->is_string()) return bad("`" + fields.place(key) + "` must hold text only");
    words.push_back(item->get<std::string>());
  }
  return words;
}

}  // namespace pybox::reports
