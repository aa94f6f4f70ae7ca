#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

constexpr std::size_t kValueKept = 400;
constexpr std::size_t kLinesKept = 40;

}  // namespace

std::vector<ProbeLine> probe_lines(const AttemptResult& attempt) {
  std::vector<ProbeLine> lines;
  const auto parsed = parse_json(attempt.line);
  if (parsed && parsed->is_object() && parsed->size() <= kLinesKept) {
    for (const auto& [key, value] : parsed->items()) {
      std::string text = value.is_string()
                             ? value.get<std::string>()
                             : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      // Every attempt has its own nonce, so it would always be the first difference.
      if (!attempt.nonce.empty() && text == attempt.nonce) continue;
      lines.push_back({plain_line(shortened(key, 80)), plain_line(shortened(text, kValueKept))});
    }
    // What the probe calls what it saw comes first; what follows explains it.
    std::stable_partition(lines.begin(), lines.end(),
                          [](const ProbeLine& line) { return line.key == "signature"; });
    return lines;
  }
  std::string_view rest = attempt.line;
  while (!rest.empty() && lines.size() < kLinesKept) {
    lines.push_back({"", plain_line(shortened(take_line(rest), kValueKept))});
  }
  if (!rest.empty()) lines.push_back({"", "… (" + grouped(rest.size()) + " bytes more)"});
  return lines;
}

}  // namespace pybox::reports::html
