#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "campaign/oracle/probe_line.hpp"

namespace pybox::campaign {
namespace {

/// A signature is a word or two: an errno's name, "errno 524", "MemoryError".
constexpr std::size_t kLongestSignature = 64;

std::string text_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return found->get<std::string>();
}

ProbeLine line_of(std::string_view text, const nlohmann::json& object) {
  ProbeLine line;
  line.text = text;
  const std::string signature = text_in(object, "signature");
  if (signature.size() <= kLongestSignature) line.signature = visible(signature);
  const auto proof = object.find("proof");
  if (proof != object.end() && !proof->is_null())
    line.proof = proof->is_string() ? proof->get<std::string>() : proof->dump();
  const auto detail = object.find("detail");
  if (detail != object.end() && detail->is_object())
    line.reason = visible(text_in(*detail, "reason"));
  return line;
}

}  // namespace

ProbeLines find_probe_lines(std::string_view out, std::string_view nonce) {
  ProbeLines found;
  while (!out.empty()) {
    const std::string_view text = take_line(out);
    // Parsing is dear and most lines are not ours.
    if (text.empty() || text.front() != '{' || text.find(nonce) == std::string_view::npos) continue;
    const auto object = parse_json(text);
    if (!object || !object.value().is_object()) continue;
    if (text_in(object.value(), "nonce") != nonce) continue;
    if (found.count++ == 0) found.line = line_of(text, object.value());
  }
  return found;
}

}  // namespace pybox::campaign
