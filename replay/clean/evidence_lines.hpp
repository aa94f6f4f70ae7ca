#pragma once
/// events.jsonl as parsed lines, before anybody asks what they mean. Only *_json.cpp use it.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::replay {

/// `prev` of the first line.
inline const std::string kNoLine(64, '0');

/// Error of kind Evidence: none at all, or one that is no object with a text `event`.
Result<std::vector<nlohmann::json>> lines_of(std::string_view events);

/// Blobs that an event names; a blob is its SHA-256.
std::vector<std::string> blobs_of(const nlohmann::json& event);

/// Lower-case hex of that many digits.
bool is_hex(std::string_view text, std::size_t size);

}  // namespace pybox::replay
