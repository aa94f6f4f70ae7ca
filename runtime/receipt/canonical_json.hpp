#pragma once
/// JSON as bytes that are the same everywhere (RFC 8785), for signing; and the same values laid out
/// for people. Numbers are written as ECMAScript writes them in both, so the text a person reads
/// is the text that was signed, only spaced.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pybox {

/// RFC 8785: no white space, keys in UTF-16 order, shortest numbers. Error of kind Evidence: a
/// number that no double holds exactly (an integer beyond 2^53 - 1, infinity), text that is no
/// UTF-8.
Result<std::string> canonical_json(const nlohmann::json& value);
Result<std::string> canonical_json(const nlohmann::ordered_json& value);

/// Two spaces a level, keys in the order given, lists without objects on one line, a newline at the
/// end. Characters that drive or deceive a terminal are written as \uXXXX.
/// Precondition: canonical_json() of the value succeeds.
std::string readable_json(const nlohmann::ordered_json& value);

/// A string as JSON has it, appended to `out`. Deceptive characters, which drive or deceive a
/// terminal, stand in canonical text as they are and in readable text as escapes. False when the
/// text is no UTF-8.
enum class Deceptive { Verbatim, Escape };
bool append_json_string(std::string& out, std::string_view text, Deceptive deceptive);

/// Number::toString of ECMAScript (RFC 8785 section 3.2.2.3). Precondition: finite.
std::string ecmascript_number(double value);

}  // namespace pybox
