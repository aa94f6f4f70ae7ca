#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "receipt/receipt.hpp"

/// Field by field and not through a tree of JSON values, which costs three times as much: a seal is
/// written while its program runs, on a processor that the program could have had.

namespace pybox {
namespace {

void add_text(std::string& out, std::string_view key, std::string_view text, Deceptive deceptive) {
  out += key;
  (void)append_json_string(out, visible(text), deceptive);  // visible text is UTF-8
}

void add_flag(std::string& out, std::string_view key, bool value) {
  out += key;
  out += value ? "true" : "false";
}

std::string readable(const Seal& seal) {
  constexpr Deceptive kEscape = Deceptive::Escape;
  std::string out;
  out.reserve(384 * (seal.checks.size() + 1));
  add_flag(out, "{\n    \"verified\": ", seal.verified);
  add_flag(out, ",\n    \"before_start\": ", seal.before_start);
  out += ",\n    \"checks\": [";
  bool first = true;
  for (const SealCheck& check : seal.checks) {
    out += std::exchange(first, false) ? "\n      {" : ",\n      {";
    add_text(out, "\n        \"name\": ", check.name, kEscape);
    add_text(out, ",\n        \"expected\": ", check.expected, kEscape);
    add_text(out, ",\n        \"observed\": ", check.observed, kEscape);
    add_flag(out, ",\n        \"ok\": ", check.ok);
    add_text(out, ",\n        \"method\": ", check.method, kEscape);
    out += "\n      }";
  }
  out += seal.checks.empty() ? "]\n  }" : "\n    ]\n  }";
  return out;
}

}  // namespace

std::string seal_to_json(const Seal& seal) {
  constexpr Deceptive kVerbatim = Deceptive::Verbatim;
  std::string out;
  out.reserve(256 * (seal.checks.size() + 1));
  add_flag(out, "{\"before_start\":", seal.before_start);
  out += ",\"checks\":[";
  bool first = true;
  for (const SealCheck& check : seal.checks) {
    add_text(out,
             std::exchange(first, false) ? "{\"expected\":" : ",{\"expected\":", check.expected,
             kVerbatim);
    add_text(out, ",\"method\":", check.method, kVerbatim);
    add_text(out, ",\"name\":", check.name, kVerbatim);
    add_text(out, ",\"observed\":", check.observed, kVerbatim);
    add_flag(out, ",\"ok\":", check.ok);
    out += '}';
  }
  add_flag(out, "],\"verified\":", seal.verified);
  out += '}';
  return out;
}

WrittenSeal write_seal(const Seal& seal) {
  return {seal, {"seal", seal_to_json(seal), readable(seal)}};
}

}  // namespace pybox
