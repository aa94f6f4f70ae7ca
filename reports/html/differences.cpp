#include "reports/html/differences.hpp"

#include <fmt/core.h>

#include "reports/html/parts.hpp"
#include "reports/render/diff_words.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

constexpr std::size_t kKept = 240;

std::string value(std::string_view untrusted) {
  return R"(<span class="value" dir="auto">)" + html_text(shortened(untrusted, kKept)) + "</span>";
}

std::string value(const std::optional<std::string>& text) {
  return text ? value(std::string_view(*text)) : R"(<span class="none">–</span>)";
}

std::string value(const std::optional<Verdict>& verdict) {
  return verdict ? status(*verdict) : R"(<span class="none">not there</span>)";
}

/// Glyph and word; the colour only repeats them.
std::string kind(Direction direction, Change change) {
  const std::string_view word = word_of(direction, change);
  if (direction == Direction::Worse)
    return fmt::format(R"(<span class="fit no">▼ {}</span>)", word);
  if (direction == Direction::Better)
    return fmt::format(R"(<span class="fit yes">▲ {}</span>)", word);
  return std::string(word);
}

std::string quiet(std::string_view sentence) {
  return fmt::format(R"(<p class="quiet-text">{}</p>)", sentence);
}

std::string arms_of(const CheckDiff& check) {
  std::string out;
  for (const std::string& arm : arm_changes(check)) {
    if (!out.empty()) out += "<br>";
    out += value(std::string_view(arm));
  }
  if (check.change != Change::Changed) out = counted(check.arms.size(), "arm");
  if (check.direction == Direction::Worse && !check.why.empty()) {
    out += "<br>" + value(std::string_view(check.why));
  }
  return out.empty() ? R"(<span class="none">as before</span>)" : out;
}

std::string name_of_check(const CheckDiff& check, Names names) {
  const std::string text = html_text(check.full_id);
  if (names == Names::Plain || !check.after) return text;
  return fmt::format(R"(<a href="#{}">{}</a>)", anchor(check.full_id), text);
}

std::string unchanged_checks(const Diff& diff) {
  std::string list;
  std::size_t same = 0;
  for (const CheckDiff& check : diff.checks) {
    if (check.change != Change::Unchanged) continue;
    ++same;
    list += fmt::format("<li>{} {}</li>", status(*check.after), code(check.full_id));
  }
  if (same == 0) return "";
  return fmt::format(
      R"(<details class="more"><summary>{} unchanged</summary><ul class="names">{}</ul></details>)",
      counted(same, "check"), list);
}

/// `rows` are HTML, `columns` and `caption` text.
std::string difference_table(std::string_view caption, const std::vector<std::string_view>& columns,
                             const std::string& rows) {
  std::string out = fmt::format(
      R"(<div class="scroll"><table class="plain differences"><caption>{}</caption><thead><tr>)",
      caption);
  for (const std::string_view column : columns)
    out += fmt::format(R"(<th scope="col">{}</th>)", column);
  return out + "</tr></thead><tbody>" + rows + "</tbody></table></div>";
}

}  // namespace

std::string fact_differences(const Diff& diff) {
  std::string rows;
  for (const auto& [facts, what] :
       {std::pair{&diff.environment, "environment"}, {&diff.tools, "program"}}) {
    for (const FactDiff& fact : *facts) {
      rows += fmt::format(R"(<tr><td>{}</td><th scope="row">{}</th><td>{}</td><td>{}</td></tr>)",
                          what, html_text(fact.name), value(fact.before), value(fact.after));
    }
  }
  if (rows.empty()) return quiet("Environment and programs are the same.");
  return difference_table("Environment and programs, which explain most of the rest",
                          {"What", "Name", "Before", "Now"}, rows);
}

std::string check_differences(const Diff& diff, Names names) {
  std::string rows;
  for (const CheckDiff& check : diff.checks) {
    if (check.change == Change::Unchanged) continue;
    rows += fmt::format(
        R"(<tr><td>{}</td><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>)",
        kind(check.direction, check.change), name_of_check(check, names), value(check.before),
        value(check.after), arms_of(check));
  }
  if (rows.empty()) {
    return quiet("Every check showed what it showed before.") + unchanged_checks(diff);
  }
  return difference_table(
             fmt::format("Checks (arms: {} changed, {} added, {} deleted, {} unchanged)",
                         diff.arms.changed, diff.arms.added, diff.arms.deleted,
                         diff.arms.unchanged),
             {"What", "Check", "Before", "Now", "Arms"}, rows) +
         unchanged_checks(diff);
}

std::string protection_differences(const Diff& diff) {
  std::string rows;
  for (const ProtectionDiff& protection : diff.protections) {
    rows += fmt::format(R"(<tr><td>{}</td><th scope="row">{}</th><td>{}</td></tr>)",
                        kind(protection.direction, Change::Changed), html_text(protection.name),
                        proof_change(protection));
  }
  if (rows.empty()) return quiet("The same protections are proven.");
  return difference_table("Protections whose proof changed", {"What", "Protection", "Proof"}, rows);
}

}  // namespace pybox::reports::html
