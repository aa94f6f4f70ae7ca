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
#include "campaign/model/evidence.hpp"
#include "campaign/model/line_head.hpp"

namespace pybox::campaign {

constexpr std::size_t kMostChecks = 5000;
/// Prose, programs and lines of probes; far above what is ever written.
constexpr std::size_t kLongText = std::size_t{1} << 20U;

/// Texts safe to print; lines and tabs stay.
nlohmann::json safe_text(std::string_view text);
nlohmann::json safe_list(const std::vector<std::string>& texts);
nlohmann::json or_null(const std::optional<std::string>& text);
nlohmann::json or_null(const std::optional<std::uint64_t>& count);
nlohmann::json previous_json(const std::optional<PreviousRun>& previous);
/// An object of texts, each safe to print.
nlohmann::json facts_json(const std::map<std::string, std::string>& facts);

std::uint64_t micros(Nanos time);
Nanos from_micros(std::uint64_t count);

/// The canonical text and a newline.
Result<std::string> as_line(const nlohmann::json& value);

Result<LineHead> line_head_of(JsonFields& fields);
void put_line_head(nlohmann::json& object, const LineHead& head);

/// 1 to 255 bytes.
Result<std::string> word_of(JsonFields& fields, std::string_view key);
/// 64 lower-case hex digits.
Result<std::string> digest_of(JsonFields& fields, std::string_view key);
Result<EngineKind> engine_of(JsonFields& fields);
Result<Verdict> verdict_of(JsonFields& fields, std::string_view key);
Result<std::optional<PreviousRun>> previous_of(JsonFields& fields);
/// A list of texts; an object of texts.
Result<std::vector<std::string>> texts_of(JsonFields& fields, std::string_view key,
                                          std::size_t max_items = 1024);
Result<std::map<std::string, std::string>> text_map_of(JsonFields& fields,
                                                       const nlohmann::json& object,
                                                       std::string_view key);

}  // namespace pybox::campaign
