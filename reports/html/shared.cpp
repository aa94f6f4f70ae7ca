#include <fmt/core.h>

#include <algorithm>

#include "base/digest.hpp"
#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {

std::string_view slug(Verdict verdict) { return name_of(verdict); }

std::string status(Verdict verdict) {
  return fmt::format(R"(<span class="status s-{}"><span class="g">{}</span>{}</span>)",
                     name_of(verdict), glyph_of(verdict), name_of(verdict));
}

std::string status(std::string_view whole) {
  const auto known = campaign::verdict_from(whole);
  if (known) return status(*known);
  return R"(<span class="status s-error"><span class="g">…</span>incomplete</span>)";
}

std::string code(std::string_view untrusted) { return "<code>" + html_text(untrusted) + "</code>"; }

std::string codes(const std::vector<std::string>& untrusted) {
  if (untrusted.empty()) return R"(<span class="none">nothing</span>)";
  std::string out;
  for (const std::string& word : untrusted) {
    if (!out.empty()) out += " ";
    out += code(word);
  }
  return out;
}

std::string anchor(std::string_view full_id) {
  const bool plain =
      full_id.size() <= 120 && std::all_of(full_id.begin(), full_id.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_' || c == '@';
      });
  if (!plain) return "check--" + sha256_hex(full_id).substr(0, 16);
  std::string name = "check-" + std::string(full_id);
  std::replace(name.begin(), name.end(), '@', '_');
  return name;
}

std::string command(std::string_view text) {
  return R"(<div class="cmd"><pre><code>)" + html_text(text) +
         R"(</code></pre><button type="button" class="copy">Copy</button></div>)";
}

std::string files(const AttemptResult& attempt) {
  std::string out;
  for (const auto& [name, blob] :
       {std::pair{"report", attempt.report}, {"stdout", attempt.out}, {"stderr", attempt.err}}) {
    if (!blob) continue;
    out += fmt::format(R"({}<a href="raw/{}/{}">{}</a> <code class="hash">{}</code>)",
                       out.empty() ? "" : "<br>", blob->substr(0, 2), blob->substr(2), name,
                       blob->substr(0, 12));
  }
  return out.empty() ? R"(<span class="none">none</span>)" : out;
}

const AttemptResult* deciding(const ArmResult& arm) {
  for (auto attempt = arm.attempts.rbegin(); attempt != arm.attempts.rend(); ++attempt) {
    if (attempt->observed == arm.observed) return &*attempt;
  }
  return arm.attempts.empty() ? nullptr : &arm.attempts.back();
}

bool is_trouble(const Evidence& campaign, const CheckResult& check) {
  switch (check.verdict) {
    case Verdict::Held:
    case Verdict::NotApplicable: return false;
    case Verdict::Unmet:
      return std::find(campaign.unmet_expected.begin(), campaign.unmet_expected.end(),
                       full_id(check)) == campaign.unmet_expected.end();
    case Verdict::Broken:
    case Verdict::Error:
    case Verdict::Vacuous:
    case Verdict::Flaky: return true;
  }
  return true;
}

}  // namespace pybox::reports::html
