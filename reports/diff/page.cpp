#include <fmt/core.h>

#include "reports/diff/diff.hpp"
#include "reports/diff/words.hpp"
#include "reports/html/parts.hpp"
#include "reports/html/shell.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

constexpr std::size_t kKept = 240;

std::string optional_text(const std::optional<std::string>& text) {
  if (!text) return R"(<span class="none">–</span>)";
  return "<span class=\"value\">" + html_text(shortened(*text, kKept)) + "</span>";
}

std::string table(std::string_view caption, const std::vector<std::string_view>& columns,
                  const std::string& rows) {
  std::string out = fmt::format(
      R"(<div class="scroll"><table class="plain"><caption>{}</caption><thead><tr>)", caption);
  for (const std::string_view column : columns)
    out += fmt::format(R"(<th scope="col">{}</th>)", column);
  return out + "</tr></thead><tbody>" + rows + "</tbody></table></div>";
}

/// Glyph and word; the colour only repeats them.
std::string direction(Direction direction, std::string_view otherwise) {
  switch (direction) {
    case Direction::Worse: return R"(<span class="fit no">▼ worse</span>)";
    case Direction::Better: return R"(<span class="fit yes">▲ better</span>)";
    case Direction::Same: break;
  }
  return std::string(otherwise);
}

std::string side(std::string_view label, const Campaign& campaign) {
  return fmt::format("<div><dt>{}</dt><dd>{} {}<br>{}<br>{} of {} protections proven</dd></div>",
                     label, html::status(campaign.verdict), html::code(campaign.id),
                     html_text(counts_text(campaign)), campaign.proven(),
                     campaign.protections.size());
}

std::string head(const Campaign& before, const Campaign& after, const Diff& diff) {
  const bool worse = diff.worse > 0;
  return fmt::format(
      R"(<header class="top"><p class="eyebrow">PyBox evidence: two campaigns compared</p>)"
      R"(<h1 class="t-{}"><span class="g" aria-hidden="true">{}</span>{}</h1>)"
      R"(<p class="lead">{}: {}</p><dl class="facts">{}{}<div><dt>Link</dt><dd>{}</dd></div></dl></header>)",
      worse ? "broken" : "held", worse ? "✗" : "✓",
      worse ? "Evidence was lost" : "Nothing got worse", worse ? "In the later one" : "Compared",
      html_text(verdict_sentence(diff)), side("Before", before), side("After", after),
      html_text(link_sentence(before, after)));
}

std::string environment(const Diff& diff) {
  std::string rows;
  for (const auto& [facts, kind] :
       {std::pair{&diff.environment, "environment"}, {&diff.tools, "program"}}) {
    for (const FactDiff& fact : *facts) {
      rows +=
          fmt::format("<tr><td>{}</td><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>", kind,
                      html_text(fact.name), optional_text(fact.before), optional_text(fact.after));
    }
  }
  std::string out = "<section id=\"environment\"><h2>Environment and programs</h2>";
  if (rows.empty()) return out + "<p class=\"quiet-text\">The same in both.</p></section>";
  return out + table("They explain most of the rest", {"What", "Name", "Before", "After"}, rows) +
         "</section>";
}

std::string arms_of(const CheckDiff& check) {
  if (check.change != Change::Changed) return fmt::format("{} arms", check.arms.size());
  std::string out;
  for (const ArmDiff& arm : check.arms) {
    if (arm.change == Change::Unchanged) continue;
    out += fmt::format("{}{}: {} → {}", out.empty() ? "" : "<br>", html::code(arm.name),
                       optional_text(arm.before), optional_text(arm.after));
  }
  return out.empty() ? R"(<span class="none">as before</span>)" : out;
}

std::string verdict_cell(const std::optional<Verdict>& verdict) {
  return verdict ? html::status(*verdict) : R"(<span class="none">not there</span>)";
}

std::string checks(const Diff& diff) {
  std::string rows;
  std::string unchanged;
  std::size_t same = 0;
  for (const CheckDiff& check : diff.checks) {
    if (check.change == Change::Unchanged) {
      ++same;
      unchanged +=
          fmt::format("<li>{} {}</li>", html::status(*check.after), html::code(check.full_id()));
      continue;
    }
    const std::string why =
        check.direction == Direction::Worse && !check.why.empty()
            ? "<br><span class=\"value\">" + html_text(shortened(check.why, kKept)) + "</span>"
            : "";
    rows += fmt::format(
        R"(<tr><td>{}</td><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}{}</td></tr>)",
        direction(check.direction, name_of(check.change)), html_text(check.full_id()),
        verdict_cell(check.before), verdict_cell(check.after), arms_of(check), why);
  }
  std::string out = "<section id=\"checks\"><h2>Checks</h2>";
  if (rows.empty()) {
    out += "<p class=\"quiet-text\">Every check showed what it showed before.</p>";
  } else {
    out +=
        table(fmt::format("Arms: {} changed, {} added, {} deleted, {} unchanged", diff.arms.changed,
                          diff.arms.added, diff.arms.deleted, diff.arms.unchanged),
              {"What", "Check", "Before", "After", "Arms"}, rows);
  }
  if (same > 0) {
    out += fmt::format(
        R"(<details class="more"><summary>{} unchanged</summary><ul class="names">{}</ul></details>)",
        counted(same, "check"), unchanged);
  }
  return out + "</section>";
}

std::string protections(const Diff& diff) {
  std::string out = "<section id=\"protections\"><h2>Protections</h2>";
  if (diff.protections.empty())
    return out + "<p class=\"quiet-text\">The same ones are proven.</p></section>";
  std::string rows;
  for (const ProtectionDiff& protection : diff.protections) {
    rows += fmt::format("<tr><td>{}</td><th scope=\"row\">{}</th><td>{}</td></tr>",
                        direction(protection.direction, "changed"), html_text(protection.name),
                        html_text(proof_change(protection)));
  }
  return out + table("Whose proof changed", {"What", "Protection", "Proof"}, rows) + "</section>";
}

std::string numbers(const Diff& diff) {
  std::string out =
      "<section id=\"numbers\"><h2>Numbers</h2><p class=\"quiet-text\">Two runs never give the "
      "same numbers. "
      "They are shown and never decide.</p>";
  if (diff.numbers.empty()) return out + "<p class=\"quiet-text\">None in both.</p></section>";
  std::string rows;
  std::string sentences;
  for (const NumberFence& fence : diff.numbers) {
    sentences +=
        fmt::format("<li>{}: {}</li>", html_text(fence.what), html_text(fence_sentence(fence)));
    for (const NumberDiff& number : fence.beyond) {
      rows += fmt::format(
          "<tr><td>{}</td><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td "
          "class=\"n\">{}</td>"
          "<td class=\"n\">{}</td></tr>",
          html_text(number.what), html_text(number.check), html::code(number.arm),
          number_text(number.before, number.unit), number_text(number.after, number.unit),
          percent_text(number.relative()));
    }
  }
  out += "<ul>" + sentences + "</ul>";
  if (!rows.empty())
    out += table("Beyond the fence, largest change first",
                 {"What", "Check", "Arm", "Before", "After", "Change"}, rows);
  return out + "</section>";
}

}  // namespace

std::string diff_html(const Campaign& before, const Campaign& after, const Diff& diff) {
  const std::string body =
      head(before, after, diff) + "\n<main>\n" + environment(diff) + "\n" + checks(diff) + "\n" +
      protections(diff) + "\n" + numbers(diff) +
      "\n<p class=\"end\">Made from the two files campaign.json alone; neither folder was "
      "verified for it.</p>\n</main>";
  return still_page("PyBox campaigns compared: " + before.id + " and " + after.id, body);
}

}  // namespace pybox::reports
