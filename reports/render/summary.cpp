#include "reports/render/summary.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/join.hpp"
#include "reports/diff/diff.hpp"
#include "reports/render/diff_words.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

constexpr std::size_t kCellKept = 300;
constexpr std::size_t kRows = 400;

std::string cell(std::string_view untrusted) {
  return markdown_code(shortened(untrusted, kCellKept));
}

void add_counts(std::string& out, const Evidence& campaign) {
  out += "| verdict | checks |\n|:--|--:|\n";
  for (const Verdict verdict : kVerdicts) {
    out += fmt::format("| {} {} | {} |\n", glyph_of(verdict), name_of(verdict),
                       campaign.count(verdict));
  }
  out += fmt::format("\n{} of {} protections are proven by a control.\n", campaign.proven(),
                     campaign.protections.size());
}

/// Everything that is not green, worst first.
void add_trouble(std::string& out, const Evidence& campaign) {
  std::string rows;
  std::size_t shown = 0, left_out = 0;
  for (const Verdict verdict : kVerdicts) {
    if (verdict == Verdict::Held) continue;
    for (const CheckResult& check : campaign.checks) {
      if (check.verdict != verdict) continue;
      if (++shown > kRows) {
        ++left_out;
        continue;
      }
      rows += fmt::format("| {} {} | {} | {} | {} |\n", glyph_of(verdict), name_of(verdict),
                          cell(full_id(check)), markdown_text(shortened(check.claim, kCellKept)),
                          cell(check.why));
    }
  }
  if (rows.empty()) {
    out += "\nEvery check held.\n";
    return;
  }
  out +=
      "\n## What did not hold, and what could not be shown\n\n| verdict | check | claim | why |\n"
      "|:--|:--|:--|:--|\n" +
      rows;
  if (left_out > 0) out += fmt::format("\n{} more are in report.html.\n", left_out);
}

void add_unproven(std::string& out, const Evidence& campaign) {
  std::map<std::string, std::string> names;
  for (const auto& [name, proven] : campaign.protections) {
    if (proven) continue;
    std::string& alike = names[why_unproven(campaign, name)];
    alike += (alike.empty() ? "" : ", ") + markdown_code(name);
  }
  if (names.empty()) return;
  out += "\n## Protections that no control proved\n\n";
  for (const auto& [why, alike] : names)
    out += "- " + alike + ": " + markdown_text(shortened(why, kCellKept)) + "\n";
}

void add_changes(std::string& out, const Evidence& campaign, const Evidence* previous) {
  if (previous == nullptr) {
    out += "\nThere is no earlier campaign to compare with.\n";
    return;
  }
  const Diff diff = diff_campaigns(*previous, campaign);
  out += "\n## What changed since " + markdown_code(previous->id) + "\n\nSince then " +
         verdict_sentence(diff) + ".\n\n";
  std::string rows;
  for (const auto* facts : {&diff.environment, &diff.tools}) {
    for (const FactDiff& fact : *facts) {
      rows += fmt::format("| {} | {} | {} | {} |\n",
                          facts == &diff.tools ? "program" : "environment", cell(fact.name),
                          cell(fact.before.value_or("")), cell(fact.after.value_or("")));
    }
  }
  if (!rows.empty()) out += "| what | name | before | now |\n|:--|:--|:--|:--|\n" + rows + "\n";
  rows.clear();
  std::size_t shown = 0, same = 0;
  for (const CheckDiff& check : diff.checks) {
    if (check.change == Change::Unchanged) ++same;
    if (check.change == Change::Unchanged || ++shown > kRows) continue;
    rows += fmt::format("| {} | {} | {} | {} |\n", word_of(check.direction, check.change),
                        cell(check.full_id), verdict_change(check),
                        cell(join(arm_changes(check), "; ")));
  }
  for (const ProtectionDiff& each : diff.protections) {
    rows += fmt::format("| {} | {} | {} | – |\n", word_of(each.direction, Change::Changed),
                        cell(each.name), proof_change(each));
  }
  if (!rows.empty()) {
    out += "| what | check or protection | verdict or proof | arms |\n|:--|:--|:--|:--|\n" + rows +
           "\n";
  }
  if (shown > kRows) out += "More changes are in report.html.\n\n";
  out += counted(same, "check") + " unchanged.\n";
}

void add_checks(std::string& out, const Evidence& campaign) {
  std::map<std::string, std::map<Verdict, std::uint64_t>> areas;
  for (const CheckResult& check : campaign.checks)
    ++areas[check.area + " on " + std::string(name_of(check.engine))][check.verdict];
  out += "\n## By area\n\n| area | held | everything else |\n|:--|--:|:--|\n";
  for (auto& [area, counts] : areas) {
    std::string rest;
    for (const Verdict verdict : kVerdicts) {
      if (verdict == Verdict::Held || counts[verdict] == 0) continue;
      rest += fmt::format("{}{} {}", rest.empty() ? "" : ", ", counts[verdict], name_of(verdict));
    }
    out += fmt::format("| {} | {} | {} |\n", cell(area), counts[Verdict::Held],
                       rest.empty() ? "–" : rest);
  }
}

}  // namespace

std::string summary_markdown(const Evidence& campaign, const Evidence* previous) {
  std::string out =
      fmt::format("# {} PyBox campaign: {}\n\n{}\n\n", glyph_of_whole(campaign.verdict),
                  campaign.verdict, verdict_sentence(campaign));
  out += "Campaign " + markdown_code(campaign.id) + ", started " + markdown_code(campaign.started) +
         ", ended " + markdown_code(campaign.ended) + ".\n\n";
  add_counts(out, campaign);
  add_trouble(out, campaign);
  add_unproven(out, campaign);
  add_checks(out, campaign);
  add_changes(out, campaign, previous);
  out +=
      "\n## Checking this yourself\n\nIn the folder of this evidence, with no program of "
      "ours:\n\n```sh\n";
  out += verify_commands();
  out +=
      "\n```\n\n`campaign verify .` checks more. A signature shows who vouches for these bytes and "
      "that they did not "
      "change since; it does not show that the run was honest.\n";
  return out;
}

}  // namespace pybox::reports
