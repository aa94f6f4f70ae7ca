#pragma once
/// The sections that a report and a receipt share (seal, outcome, kernel, capture, files, timing,
/// cleanup, denied, notes), to and from JSON. One place, so that the two never drift apart.
/// Only the files report_json.cpp and receipt_json.cpp use it.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/strict_json.hpp"
#include "receipt/report.hpp"

namespace pybox::sections {

/// null when unknown; also for a count that JSON readers would round (above 2^53 - 1).
nlohmann::ordered_json count_json(std::optional<std::uint64_t> count);
/// Text that is safe to print: what a terminal would obey is escaped.
nlohmann::ordered_json text_json(std::string_view text);
nlohmann::ordered_json texts_json(const std::vector<std::string>& texts);
/// null when empty.
nlohmann::ordered_json text_or_null_json(const std::optional<std::string>& text);
/// Seconds, to the microsecond.
nlohmann::ordered_json seconds_json(std::optional<Nanos> time);

nlohmann::ordered_json seal_json(const Seal& seal);
Result<Seal> read_seal(JsonFields fields);

/// Sets the keys outcome, kernel, capture, files, timing, cleanup and denied, in this order.
void write_sections(nlohmann::ordered_json& object, const RunReport& report);
/// Fills the same fields from an object with these keys.
Result<void> read_sections(JsonFields& fields, RunReport& report);

Result<std::vector<std::string>> read_texts(JsonFields& fields, std::string_view key,
                                            std::size_t max_items);
/// A text as text_json writes it: safe to print whatever was sent.
Result<std::string> read_text(JsonFields& fields, std::string_view key);
Result<std::optional<std::string>> read_text_or_null(JsonFields& fields, std::string_view key);
/// 64 lower-case hex digits.
Result<std::string> read_digest(JsonFields& fields, std::string_view key);

/// Sets report.out, report.err and report.files from the sections capture and files.
Result<void> read_capture(JsonFields fields, RunReport& report);
Result<Files> read_files(JsonFields fields);
/// Text marked as the program's own must say so.
Result<void> read_trust(JsonFields& fields);

// Shared by the two files that read.
constexpr double kLongestSeconds = 1e6;  ///< far above any run; keeps conversions within Nanos

Error wrong_shape(std::string what);
/// "seal.checks[3]"
std::string item_place(const JsonFields& fields, std::string_view key, std::size_t index);

/// Reads a list of objects, each by `read`.
template <class Item, class Read>
Result<std::vector<Item>> read_objects(JsonFields& fields, std::string_view key,
                                       std::size_t max_items, Read read) {
  const auto values = PYBOX_TRY(fields.list(key, max_items));
  std::vector<Item> items;
  items.reserve(values.size());
  for (const nlohmann::json* value : values) {
    JsonFields item = PYBOX_TRY(JsonFields::of(*value, item_place(fields, key, items.size())));
    items.push_back(PYBOX_TRY(read(item)));
    PYBOX_TRY(item.finish());
  }
  return items;
}

/// Reads the object at `key` by `read`.
template <class Section>
Result<Section> read_section(JsonFields& fields, std::string_view key,
                             Result<Section> (*read)(JsonFields)) {
  return read(PYBOX_TRY(fields.object(key)));
}

template <class Enum>
Result<Enum> read_name(JsonFields& fields, std::string_view key,
                       std::optional<Enum> (*from)(std::string_view)) {
  const std::string name = PYBOX_TRY(read_text(fields, key));
  const auto value = from(name);
  if (!value) return wrong_shape("`" + fields.place(key) + "` is `" + name + "`");
  return *value;
}

}  // namespace pybox::sections
