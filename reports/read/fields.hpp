#pragma once
/// What the readers of evidence share: words, digests and lists of objects, each bounded.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/strict_json.hpp"

namespace pybox::reports {

/// Prose and lines of probes; far above what is ever written.
constexpr std::size_t kLongText = 65536;

Error bad(std::string what);  ///< kind Evidence
/// 64 lower-case hex digits.
bool is_digest(std::string_view text);
Result<std::string> read_digest(JsonFields& fields, std::string_view key);
/// 1 to 255 bytes.
Result<std::string> read_word(JsonFields& fields, std::string_view key);
/// A list of words, as they are.
Result<std::vector<std::string>> read_words(JsonFields& fields, std::string_view key);

/// A list of objects, each by `read` and then without an unknown key.
template <class Item>
Result<std::vector<Item>> read_each(JsonFields& fields, std::string_view key, std::size_t max_items,
                                    Result<Item> (*read)(JsonFields&)) {
  const auto values = PYBOX_TRY(fields.list(key, max_items));
  std::vector<Item> items;
  items.reserve(values.size());
  for (const nlohmann::json* value : values) {
    const std::string place = fields.place(key) + "[" + std::to_string(items.size()) + "]";
    JsonFields item = PYBOX_TRY(JsonFields::of(*value, place));
    items.push_back(PYBOX_TRY(read(item)));
    PYBOX_TRY(item.finish());
  }
  return items;
}

}  // namespace pybox::reports
