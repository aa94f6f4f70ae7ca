#include "reports/render/diff_words.hpp"

#include <fmt/core.h>

#include "reports/render/words.hpp"

namespace pybox::reports {
std::string verdict_sentence(const Diff& diff) {
  if (diff.worse == 0) {
    return diff.better == 0 ? "nothing got worse"
                            : fmt::format("nothing got worse; {} got better", diff.better);
  }
  std::size_t checks = 0;
  std::size_t protections = 0;
  for (const CheckDiff& check : diff.checks) checks += check.direction == Direction::Worse ? 1 : 0;
  for (const ProtectionDiff& each : diff.protections)
    protections += each.direction == Direction::Worse ? 1 : 0;
  std::string parts;
  const auto add = [&parts](const std::string& part) {
    parts += (parts.empty() ? "" : ", ") + part;
  };
  if (checks > 0) add(counted(checks, "check"));
  if (protections > 0) add(counted(protections, "protection"));
  if (diff.became_incomplete) add("the campaign is not complete");
  return fmt::format("{} got worse: {}", counted(diff.worse, "thing"), parts);
}

std::string_view word_of(Direction direction, Change change) {
  switch (direction) {
    case Direction::Worse: return "worse";
    case Direction::Better: return "better";
    case Direction::Same: return name_of(change);
  }
  return "";
}

std::string verdict_change(const CheckDiff& check) {
  if (!check.before) return fmt::format("new: {}", name_of(*check.after));
  if (!check.after) return fmt::format("{} → gone", name_of(*check.before));
  if (check.before == check.after) return std::string(name_of(*check.after));
  return fmt::format("{} → {}", name_of(*check.before), name_of(*check.after));
}

std::string proof_change(const ProtectionDiff& protection) {
  const auto word = [](bool proven) { return proven ? "proven" : "unproven"; };
  if (!protection.before) return fmt::format("new: {}", word(*protection.after));
  if (!protection.after) return fmt::format("{} → gone", word(*protection.before));
  return fmt::format("{} → {}", word(*protection.before), word(*protection.after));
}

std::vector<std::string> arm_changes(const CheckDiff& check) {
  std::vector<std::string> told;
  if (check.change != Change::Changed) return told;  // its arms are all new, or all gone
  for (const ArmDiff& arm : check.arms) {
    if (arm.change == Change::Unchanged) continue;
    told.push_back(arm.name + ": " +
                   (arm.before ? *arm.before + " → " + arm.after.value_or("gone")
                               : "new: " + arm.after.value_or("")));
  }
  return told;
}

std::string counts_text(const Evidence& campaign) {
  std::string text;
  for (const Verdict verdict : kVerdicts) {
    const std::uint64_t count = campaign.count(verdict);
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(verdict));
  }
  return text.empty() ? "no checks" : text;
}

std::string link_sentence(const Evidence& before, const Evidence& after) {
  if (after.previous && after.previous->id == before.id)
    return "the later one names the earlier one as its predecessor";
  if (before.previous && before.previous->id == after.id)
    return "the two are given in reverse: the first names the second as its predecessor";
  return "the two are not linked to each other";
}

}  // namespace pybox::reports
