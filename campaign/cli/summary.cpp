#include "campaign/cli/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/terminal/terminal.hpp"
#include "reports/render/words.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array kColumns = {Verdict::Held,         Verdict::Broken, Verdict::Vacuous,
                                 Verdict::Error,        Verdict::Flaky,  Verdict::Unmet,
                                 Verdict::NotApplicable};

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

std::string protections_text(const Evidence& evidence) {
  std::map<std::string, std::vector<std::string>> unproven;  // by what became of their checks
  for (const auto& [name, proven] : evidence.protections) {
    if (!proven) unproven[reports::why_unproven(evidence, name)].push_back(name);
  }
  std::string text = fmt::format("protections proven by a control: {} of {}\n", evidence.proven(),
                                 evidence.protections.size());
  for (const auto& [why, names] : unproven)
    text += wrapped("not proven: ", names) + "  " + visible(why) + "\n";
  return text;
}

}  // namespace

std::string verdict_line(const CheckResult& check) {
  return fmt::format("{:<14}  {}  {}", name_of(check.verdict), full_id(check), visible(check.why));
}

std::string summary_text(const Evidence& evidence, bool colour) {
  const bool green = evidence.verdict == name_of(Verdict::Held);
  return table(evidence) + protections_text(evidence) + "verdict: " +
         cli::styled(evidence.verdict, green ? cli::Style::Green : cli::Style::Red, colour) + "\n";
}

}  // namespace pybox::campaign
