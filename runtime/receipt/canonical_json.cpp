#include "receipt/canonical_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/strict_json.hpp"
#include "base/text.hpp"

namespace pybox {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void append_escape(std::string& out, char32_t unit) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(unit));
  out += text.data();
}

/// As a UTF-16 escape; a surrogate pair above U+FFFF (RFC 8259 section 7).
void append_utf16_escape(std::string& out, char32_t code) {
  if (code < 0x10000) return append_escape(out, code);
  append_escape(out, 0xD800 + ((code - 0x10000) >> 10U));
  append_escape(out, 0xDC00 + ((code - 0x10000) & 0x3FFU));
}

/// How much of the text stands in JSON as it is: printable ASCII without quote and backslash.
std::size_t verbatim_run(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] >= ' ' && text[at] <= '~' && text[at] != '"' &&
         text[at] != '\\') {
    ++at;
  }
  return at;
}

/// Orders UTF-8 as its UTF-16 code units would order (RFC 8785 section 3.2.3): only characters
/// above U+FFFF, which start with 0xF0 or more, come before U+E000 to U+FFFF there.
bool utf16_less(const std::string& a, const std::string& b) {
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (left == a.end() || right == b.end()) return left == a.end() && right != b.end();
  const auto rank = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0xF0) return 0xED00U + byte;  // sorts as its surrogate, U+D800 and up
    return byte * 0x100U;
  };
  return rank(*left) < rank(*right);
}

/// The text of a number, empty when no double holds it exactly.
template <class Json>
std::string number_text(const Json& value) {
  if (value.is_number_float()) {
    const double number = value.template get<double>();
    return std::isfinite(number) ? ecmascript_number(number) : "";
  }
  if (value.is_number_unsigned()) {
    const auto number = value.template get<std::uint64_t>();
    return number <= kMaxJsonInteger ? std::to_string(number) : "";
  }
  const auto number = value.template get<std::int64_t>();
  return number >= -static_cast<std::int64_t>(kMaxJsonInteger) ? std::to_string(number) : "";
}

template <class Json>
bool append_list(std::string& out, const Json& list);
template <class Json>
bool append_object(std::string& out, const Json& object);

/// False when a value has no canonical form. Recursion is as deep as the value; parse_json bounds
/// it.
template <class Json>
bool append_canonical(std::string& out, const Json& value) {
  if (value.is_null()) {
    out += "null";
  } else if (value.is_boolean()) {
    out += value.template get<bool>() ? "true" : "false";
  } else if (value.is_string()) {
    return append_json_string(out, value.template get_ref<const std::string&>(),
                              Deceptive::Verbatim);
  } else if (value.is_number()) {
    const std::string text = number_text(value);
    out += text;
    return !text.empty();
  } else if (value.is_array()) {
    return append_list(out, value);
  } else if (value.is_object()) {
    return append_object(out, value);
  } else {
    return false;  // binary or discarded: no JSON
  }
  return true;
}

template <class Json>
bool append_list(std::string& out, const Json& value) {
  out += '[';
  bool first = true;
  for (const Json& item : value) {
    if (!first) out += ',';
    first = false;
    if (!append_canonical(out, item)) return false;
  }
  out += ']';
  return true;
}

template <class Json>
bool append_object(std::string& out, const Json& value) {
  std::vector<std::pair<const std::string*, const Json*>> fields;
  for (const auto& [key, field] : value.items()) fields.emplace_back(&key, &field);
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return utf16_less(*a.first, *b.first); });
  out += '{';
  bool first = true;
  for (const auto& [key, field] : fields) {
    if (!first) out += ',';
    first = false;
    if (!append_json_string(out, *key, Deceptive::Verbatim)) return false;
    out += ':';
    if (!append_canonical(out, *field)) return false;
  }
  out += '}';
  return true;
}

template <class Json>
Result<std::string> canonical(const Json& value) {
  std::string out;
  if (append_canonical(out, value)) return out;
  return Error(ErrorKind::Evidence, "a value has no canonical JSON form (RFC 8785)");
}

bool holds_objects(const ordered_json& list) {
  return std::any_of(list.begin(), list.end(), [](const ordered_json& item) {
    return item.is_object() || (item.is_array() && holds_objects(item));
  });
}

void append_readable(std::string& out, const ordered_json& value, std::size_t indent) {
  const bool is_list = value.is_array();
  if (value.is_string()) {
    append_json_string(out, value.get_ref<const std::string&>(), Deceptive::Escape);
    return;
  }
  if (value.empty() || (!value.is_object() && !is_list)) {
    append_canonical(out, value);
    return;
  }
  const bool one_line = is_list && !holds_objects(value);
  const std::string line = one_line ? "" : "\n" + std::string(indent + 2, ' ');
  out += is_list ? '[' : '{';
  bool first = true;
  for (const auto& [key, field] : value.items()) {
    if (!first) out += one_line ? ", " : ",";
    first = false;
    out += line;
    if (!is_list) {
      append_json_string(out, key, Deceptive::Escape);
      out += ": ";
    }
    append_readable(out, field, indent + 2);
  }
  if (!one_line) out += "\n" + std::string(indent, ' ');
  out += is_list ? ']' : '}';
}

}  // namespace

bool append_json_string(std::string& out, std::string_view text, Deceptive deceptive) {
  static constexpr std::string_view kShort = "\"\\\b\t\n\f\r";
  static constexpr std::string_view kLetters = "\"\\btnfr";
  out += '"';
  while (true) {
    const std::string_view plain = text.substr(0, verbatim_run(text));
    out += plain;
    text.remove_prefix(plain.size());
    if (text.empty()) break;
    const Character c = first_character(text);
    if (c.size == 0) return false;
    const std::size_t at = c.size == 1 ? kShort.find(text[0]) : std::string_view::npos;
    if (at != std::string_view::npos) {
      out += '\\';
      out += kLetters[at];
    } else if (c.code < 0x20 || (deceptive == Deceptive::Escape && is_deceptive(c.code))) {
      append_utf16_escape(out, c.code);
    } else {
      out += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
  }
  out += '"';
  return true;
}

std::string ecmascript_number(double value) {
  if (value == 0) return "0";  // also for -0
  std::array<char, 32> buffer{};
  // The shortest digits that read back as the same double, as "d.ddde±x".
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  std::string out;
  if (text[0] == '-') {
    out = "-";
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  int exponent = 0;
  const std::size_t sign = text[e + 1] == '+' ? 2 : 1;  // from_chars takes no plus sign
  std::from_chars(text.data() + e + sign, text.data() + text.size(), exponent);

  // ECMA-262 Number::toString: `point` digits stand before the decimal point.
  const int point = exponent + 1;
  const int count = static_cast<int>(digits.size());
  if (point > 21 || point <= -6) {
    out += digits[0];
    if (count > 1) out += "." + digits.substr(1);
    return out + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
  }
  if (point <= 0) return out + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (count <= point)
    return out + digits + std::string(static_cast<std::size_t>(point - count), '0');
  const auto before = static_cast<std::size_t>(point);
  return out + digits.substr(0, before) + "." + digits.substr(before);
}

Result<std::string> canonical_json(const json& value) { return canonical(value); }
Result<std::string> canonical_json(const ordered_json& value) { return canonical(value); }

std::string readable_json(const ordered_json& value) {
  std::string out;
  append_readable(out, value, 0);
  return out + "\n";
}

}  // namespace pybox
