#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

/// What leaving a protection out did to a check.
enum class Effect { None, Skipped, Redundant, Layer, Proves, Lost };

struct Look {
  std::string_view glyph, name, words;
};
Look look_of(Effect effect) {
  switch (effect) {
    case Effect::Proves: return {"●", "proves", "alone decides"};
    case Effect::Layer: return {"◐", "layer", "stops it by itself, in a set"};
    case Effect::Redundant: return {"○", "redundant", "does not stop it by itself"};
    case Effect::Lost:
      return {"✗", "lost", "left out by a check that did not hold on every engine"};
    case Effect::Skipped: return {"–", "skipped", "could not be tried here"};
    case Effect::None: break;
  }
  return {"", "empty", ""};
}

Effect effect_on(const CheckResult& check, const std::string& protection) {
  const ArmResult* const control = check.arm("control");
  if (control == nullptr) return Effect::None;
  const auto& cut = control->removed;
  if (std::find(cut.begin(), cut.end(), protection) == cut.end()) return Effect::None;
  if (check.verdict == Verdict::NotApplicable || check.verdict == Verdict::Unmet) {
    return Effect::Skipped;
  }
  if (check.verdict != Verdict::Held) return Effect::Lost;
  if (cut.size() == 1) return Effect::Proves;
  const ArmResult* const only = check.arm("only:" + protection);
  if (only == nullptr) return Effect::None;
  return only->observed == "reached" ? Effect::Redundant : Effect::Layer;
}

using Row = std::pair<std::string, std::vector<const CheckResult*>>;

/// Both engines stand in one row; the better of the two is shown, but a loss always.
Effect effect_in_row(const std::vector<const CheckResult*>& checks, const std::string& protection) {
  Effect best = Effect::None;
  for (const CheckResult* check : checks) {
    best = std::max(best, effect_on(*check, protection));
  }
  return best;
}

/// True for the first protection of "ns", "fs", …; remembers which family it was.
bool starts_family(const std::string& protection, std::string& family) {
  const std::string now = protection.substr(0, protection.find('.'));
  const bool starts = now != family;
  family = now;
  return starts;
}

std::string header(const Evidence& campaign) {
  std::string names, states, family;
  for (const auto& [name, proven] : campaign.protections) {
    const bool starts = starts_family(name, family);
    names += fmt::format(R"(<th scope="col" class="v{}"><span>{}</span></th>)",
                         starts ? " fam" : "", html_text(name));
    states += fmt::format(R"(<td class="{}{}">{}<span class="sr">{}</span></td>)",
                          proven ? "m-proven" : "m-unproven", starts ? " fam" : "",
                          proven ? "✓" : "✗", proven ? "proven" : "unproven");
  }
  return R"(<thead><tr><th scope="col" class="corner">Check</th>)" + names +
         R"(</tr><tr class="state"><th scope="row">Proven</th>)" + states + "</tr></thead>";
}

std::string row(const std::string& id, const std::vector<const CheckResult*>& checks,
                const Evidence& campaign) {
  std::string cells, family;
  bool any = false;
  for (const auto& [name, proven] : campaign.protections) {
    const bool starts = starts_family(name, family);
    const Effect effect = effect_in_row(checks, name);
    any = any || effect != Effect::None;
    if (effect == Effect::None) {
      cells += starts ? "<td class=\"fam\"></td>" : "<td></td>";
      continue;
    }
    const Look look = look_of(effect);
    cells += fmt::format(R"(<td class="m-{}{}" title="{}: {}">{}<span class="sr">{}</span></td>)",
                         look.name, starts ? " fam" : "", html_text(name), look.words, look.glyph,
                         look.words);
  }
  if (!any) return "";
  return fmt::format(R"(<tr><th scope="row"><a href="#{}">{}</a></th>{}</tr>)",
                     anchor(full_id(*checks.front())), html_text(id), cells);
}

/// In the order of the protections that they leave out, so that the marks run down the diagonal.
std::vector<Row> rows_of(const Evidence& campaign) {
  std::map<std::string, std::vector<const CheckResult*>> by_id;
  for (const CheckResult& check : campaign.checks) by_id[check.id].push_back(&check);
  std::map<std::pair<std::size_t, std::string>, std::vector<const CheckResult*>> sorted;
  for (auto& [id, members] : by_id) {
    std::size_t first = 0;
    for (const auto& [name, proven] : campaign.protections) {
      if (effect_in_row(members, name) != Effect::None) break;
      ++first;
    }
    sorted[{first, id}] = std::move(members);
  }
  std::vector<Row> rows;
  for (auto& [key, members] : sorted) rows.emplace_back(key.second, std::move(members));
  return rows;
}

std::string table_of_proofs(const Evidence& campaign) {
  std::string out =
      R"(<details class="more"><summary>The same as a list: each protection and the checks that prove it</summary>)"
      R"(<div class="scroll"><table class="plain"><caption class="sr">Protections and their proofs</caption><thead><tr>)"
      R"(<th scope="col">Protection</th><th scope="col">State</th><th scope="col">Proven by</th></tr></thead><tbody>)";
  for (const auto& [name, proven] : campaign.protections) {
    std::string proofs;
    const auto found = campaign.matrix.find(name);
    if (found != campaign.matrix.end()) {
      for (const std::string& id : found->second) {
        proofs += fmt::format(R"({}<a href="#{}">{}</a>)", proofs.empty() ? "" : ", ", anchor(id),
                              html_text(id));
      }
    }
    out += fmt::format(
        R"(<tr><th scope="row">{}</th><td><span class="fit {}">{}</span></td><td>{}</td></tr>)",
        code(name), proven ? "yes" : "no", proven ? "✓ proven" : "✗ unproven",
        proofs.empty() ? R"(<span class="none">no check</span>)" : proofs);
  }
  return out + "</tbody></table></div></details>";
}

}  // namespace

std::string matrix(const ReportInput& input) {
  const Evidence& campaign = input.campaign;
  const std::uint64_t all = campaign.protections.size();
  std::string out = fmt::format(
      R"(<section id="matrix"><h2>Checks × protections</h2><p class="score"><strong>{}</strong> of {} protections )"
      R"(proven by a control{}</p>)",
      campaign.proven(), all,
      all == 0 ? "" : fmt::format(" · {} %", campaign.proven() * 100 / all));
  out += R"(<p class="legend">)";
  for (const Effect effect :
       {Effect::Proves, Effect::Layer, Effect::Redundant, Effect::Skipped, Effect::Lost}) {
    const Look look = look_of(effect);
    out += fmt::format(R"(<span><span class="m-{}">{}</span> {}</span>)", look.name, look.glyph,
                       look.words);
  }
  out +=
      R"(</p><div class="scroll matrix" tabindex="0" role="region" aria-label="Matrix of checks and protections">)"
      R"(<table><caption class="sr">What leaving a protection out does to each check</caption>)" +
      header(campaign) + "<tbody>";
  for (const auto& [id, members] : rows_of(campaign)) out += row(id, members, campaign);
  return out + "</tbody></table></div>" + table_of_proofs(campaign) + "</section>";
}

}  // namespace pybox::reports::html
