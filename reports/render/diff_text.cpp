#include "reports/render/diff_text.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "reports/render/diff_words.hpp"

namespace pybox::reports {
namespace {

/// Digests are told apart by their beginning.
constexpr std::size_t kShownDigest = 12;

std::string head(const char* label, const Evidence& campaign) {
  return fmt::format("  {}  {}  {}  {}: {}; {} of {} protections proven\n", label,
                     visible(campaign.id), visible(campaign.started), visible(campaign.verdict),
                     counts_text(campaign), campaign.proven(), campaign.protections.size());
}

std::string value_text(const std::optional<std::string>& value, std::size_t most) {
  if (!value) return "(none)";
  return visible(value->substr(0, most));
}

std::string facts_text(std::string_view title, const std::vector<FactDiff>& facts,
                       std::size_t most) {
  std::string text = fmt::format("\n{}\n", title);
  if (facts.empty()) return text + "  no difference\n";
  std::size_t width = 0;
  for (const FactDiff& fact : facts) width = std::max(width, visible(fact.name).size());
  for (const FactDiff& fact : facts) {
    text += fmt::format("  {:<{}}  {} → {}\n", visible(fact.name), width,
                        value_text(fact.before, most), value_text(fact.after, most));
  }
  return text;
}

std::string checks_text(const Diff& diff) {
  std::string text =
      fmt::format("\nChecks (arms: {} changed, {} added, {} deleted, {} unchanged)\n",
                  diff.arms.changed, diff.arms.added, diff.arms.deleted, diff.arms.unchanged);
  bool any = false;
  for (const CheckDiff& check : diff.checks) {
    if (check.change == Change::Unchanged) continue;
    any = true;
    text += fmt::format("  {:<8} {}  {}\n", word_of(check.direction, check.change),
                        visible(check.full_id), verdict_change(check));
    if (check.direction == Direction::Worse && !check.why.empty())
      text += fmt::format("             {}\n", visible(check.why));
    for (const std::string& arm : arm_changes(check))
      text += fmt::format("             {}\n", visible(arm));
  }
  return any ? text : text + "  no difference\n";
}

std::string protections_text(const Diff& diff) {
  std::string text = "\nProtections\n";
  if (diff.protections.empty()) return text + "  no difference\n";
  for (const ProtectionDiff& protection : diff.protections) {
    text += fmt::format("  {:<8} {}  {}\n", word_of(protection.direction, Change::Changed),
                        visible(protection.name), proof_change(protection));
  }
  return text;
}

}  // namespace

std::string diff_text(const Evidence& before, const Evidence& after, const Diff& diff) {
  std::string text = verdict_sentence(diff) + "\n";
  text += head("before", before) + head("after ", after);
  text += "  " + link_sentence(before, after) + "\n";
  text += facts_text("Environment", diff.environment, std::string::npos);
  text += facts_text("Tools", diff.tools, kShownDigest);
  text += checks_text(diff) + protections_text(diff);
  return text;
}

}  // namespace pybox::reports
