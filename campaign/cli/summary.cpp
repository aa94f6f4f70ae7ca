#include "campaign/cli/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/join.hpp"
#include "base/text.hpp"
#include "cli/terminal/terminal.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array kColumns = {Verdict::Held,         Verdict::Broken, Verdict::Vacuous,
                                 Verdict::Error,        Verdict::Flaky,  Verdict::Unmet,
                                 Verdict::NotApplicable};

cli::Style style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Held: return cli::Style::Green;
    case Verdict::Broken:
    case Verdict::Error:
    case Verdict::Vacuous: return cli::Style::Red;
    case Verdict::Flaky: return cli::Style::Yellow;
    case Verdict::Unmet:
    case Verdict::NotApplicable: return cli::Style::Dim;
  }
  return cli::Style::Dim;
}

using Counts = std::map<Verdict, std::uint32_t>;

std::string row(const std::string& area, const Counts& counts, std::size_t width) {
  std::string text = fmt::format("{:<{}}", area, width);
  std::uint32_t total = 0;
  for (const Verdict verdict : kColumns) {
    const auto found = counts.find(verdict);
    const std::uint32_t count = found == counts.end() ? 0 : found->second;
    total += count;
    text += fmt::format("  {:>{}}", count, name_of(verdict).size());
  }
  return text + fmt::format("  {:>5}\n", total);
}

std::string table(const Evidence& evidence) {
  std::map<std::string, Counts> areas;
  Counts all;
  std::size_t width = 5;
  for (const CheckResult& check : evidence.checks) {
    ++areas[check.area][check.verdict];
    ++all[check.verdict];
    width = std::max(width, check.area.size());
  }
  std::string text = fmt::format("{:<{}}", "area", width);
  for (const Verdict verdict : kColumns) text += fmt::format("  {}", name_of(verdict));
  text += "  total\n";
  for (const auto& [area, counts] : areas) text += row(area, counts, width);
  return areas.size() > 1 ? text + row("all", all, width) : text;
}

constexpr std::size_t kLineWidth = 78;

/// Words in lines, the further ones below the first word.
std::string wrapped(std::string lead, const std::vector<std::string>& words) {
  const std::size_t indent = lead.size();
  std::string text = std::move(lead);
  std::size_t column = indent;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && column + 1 + words[i].size() > kLineWidth) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (i > 0) {
      text += " ";
      ++column;
    }
    text += words[i];
    column += words[i].size();
  }
  return text + "\n";
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool leaves_out(const CheckResult& check, const std::string& protection) {
  return std::any_of(check.arms.begin(), check.arms.end(), [&](const ArmResult& arm) {
    return arm.arm == kControl && contains(arm.removed, protection);
  });
}

/// What became of the checks that leave it out; empty when there are none.
std::string why_unproven(const Evidence& evidence, const std::string& protection) {
  std::string why;
  for (const CheckResult& check : evidence.checks) {
    if (!leaves_out(check, protection)) continue;
    const bool held = check.verdict == Verdict::Held;
    const std::string what = !held ? fmt::format("{} is {}: {}", full_id(check),
                                                 name_of(check.verdict), visible(check.why))
                                   : full_id(check) + " is held, and not by it alone";
    if (why.empty() || !held) why = what;
    if (!held) break;
  }
  return why;
}

/// "vm": the engines that did not run and have checks that leave it out.
std::string elsewhere(const Evidence& evidence, const std::vector<Check>& known,
                      const std::string& protection) {
  std::set<std::string> engines;
  for (const Check& check : known) {
    if (contains(check.cut, protection)) engines.insert(std::string(name_of(check.engine)));
  }
  for (const CheckResult& check : evidence.checks)
    engines.erase(std::string(name_of(check.engine)));
  return join({engines.begin(), engines.end()}, " and ");
}

/// Whether a check of an engine that ran leaves it out.
bool was_there(const Evidence& evidence, const std::vector<Check>& known,
               const std::string& protection) {
  return std::any_of(known.begin(), known.end(), [&](const Check& check) {
    return contains(check.cut, protection) &&
           std::any_of(evidence.checks.begin(), evidence.checks.end(),
                       [&](const CheckResult& ran) { return ran.engine == check.engine; });
  });
}

std::string protections_text(const Evidence& evidence, const std::vector<Check>& known) {
  std::size_t proven = 0;
  std::string reasons;
  std::map<std::string, std::vector<std::string>> others;
  std::vector<std::string> untried;
  for (const auto& [name, is_proven] : evidence.protections) {
    if (is_proven) {
      ++proven;
      continue;
    }
    const std::string why = why_unproven(evidence, name);
    const std::string engines = elsewhere(evidence, known, name);
    if (!why.empty()) {
      reasons += "not proven: " + name + "  " + why +
                 (engines.empty() ? "" : "; also tried on " + engines) + "\n";
    } else if (!engines.empty() && !was_there(evidence, known, name)) {
      others[engines].push_back(name);
    } else {
      untried.push_back(name);
    }
  }
  std::string text = fmt::format("protections proven by a control: {} of {}\n", proven,
                                 evidence.protections.size()) +
                     reasons;
  for (const auto& [engines, names] : others)
    text += wrapped("tried on " + engines + " only: ", names);
  return untried.empty() ? text : text + wrapped("not tried: ", untried);
}

}  // namespace

std::string verdict_line(const CheckResult& check, bool colour) {
  const std::string verdict = fmt::format("{:<14}", name_of(check.verdict));
  return cli::styled(verdict, style_of(check.verdict), colour) + "  " + full_id(check) + "  " +
         visible(check.why);
}

std::string summary_text(const Evidence& evidence, bool colour, const std::vector<Check>& known) {
  const bool green = evidence.verdict == name_of(Verdict::Held);
  return table(evidence) + protections_text(evidence, known) + "verdict: " +
         cli::styled(evidence.verdict, green ? cli::Style::Green : cli::Style::Red, colour) + "\n";
}

}  // namespace pybox::campaign
