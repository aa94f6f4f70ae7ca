#pragma once
/// What the model's writers and readers of JSON share. Only files named *_json.cpp use it.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strict_json.hpp"
#include "base/units.hpp"
#include "campaign/model/line_head.hpp"

namespace pybox::campaign {

/// Texts safe to print; lines and tabs stay.
nlohmann::json safe_text(std::string_view text);
nlohmann::json safe_list(const std::vector<std::string>& texts);
nlohmann::json or_null(const std::optional<std::string>& text);
nlohmann::json or_null(const std::optional<std::uint64_t>& count);

std::uint64_t micros(Nanos time);
Nanos from_micros(std::uint64_t count);

/// The canonical text and a newline.
Result<std::string> as_line(const nlohmann::json& value);

Result<LineHead> line_head_of(JsonFields& fields);
void put_line_head(nlohmann::json& object, const LineHead& head);

/// A list of texts; an object of texts.
Result<std::vector<std::string>> texts_of(JsonFields& fields, std::string_view key,
                                          std::size_t max_items = 1024);
Result<std::map<std::string, std::string>> text_map_of(JsonFields& fields,
                                                       const nlohmann::json& object,
                                                       std::string_view key);

}  // namespace pybox::campaign
