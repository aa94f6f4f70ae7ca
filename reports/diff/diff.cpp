#include "reports/diff/diff.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace pybox::reports {
namespace {

/// Place in kVerdicts: 0 is the worst.
std::size_t rank(Verdict verdict) {
  return static_cast<std::size_t>(std::distance(
      std::begin(kVerdicts), std::find(std::begin(kVerdicts), std::end(kVerdicts), verdict)));
}

/// A verdict that fails a campaign by itself.
bool is_red(Verdict verdict) { return rank(verdict) < rank(Verdict::Unmet); }

Direction direction_of(std::optional<Verdict> before, std::optional<Verdict> after) {
  if (!before) return is_red(*after) ? Direction::Worse : Direction::Same;
  // What nobody looks at any more is not held.
  if (!after) return *before == Verdict::Held ? Direction::Worse : Direction::Same;
  if (rank(*after) == rank(*before)) return Direction::Same;
  return rank(*after) < rank(*before) ? Direction::Worse : Direction::Better;
}

template <class Value, class Show>
std::vector<FactDiff> facts_between(const std::map<std::string, Value>& before,
                                    const std::map<std::string, Value>& after, Show show) {
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : after) names.insert(name);
  std::vector<FactDiff> found;
  for (const std::string& name : names) {
    FactDiff fact{name, {}, {}};
    if (const auto it = before.find(name); it != before.end()) fact.before = show(it->second);
    if (const auto it = after.find(name); it != after.end()) fact.after = show(it->second);
    if (fact.before != fact.after) found.push_back(std::move(fact));
  }
  return found;
}

/// What an arm showed: the deciding signature, and those of attempts that said something else.
std::string shown(const ArmResult& arm) {
  std::string text = arm.observed;
  std::set<std::string> others;
  for (const AttemptResult& attempt : arm.attempts) {
    if (attempt.observed != arm.observed) others.insert(attempt.observed);
  }
  for (const std::string& other : others) text += ", " + other;
  return text;
}

Change change_of(const std::optional<std::string>& before, const std::optional<std::string>& after,
                 bool same_cut) {
  if (!before) return Change::Added;
  if (!after) return Change::Deleted;
  return *before == *after && same_cut ? Change::Unchanged : Change::Changed;
}

ArmDiff arm_between(const std::string& name, const ArmResult* before, const ArmResult* after) {
  ArmDiff diff;
  diff.name = name;
  if (before) diff.before = shown(*before);
  if (after) diff.after = shown(*after);
  // Another cut set under the same name is another attempt.
  const bool same_cut = !before || !after || before->removed == after->removed;
  diff.change = change_of(diff.before, diff.after, same_cut);
  if (!same_cut) diff.after = *diff.after + " (another cut set)";
  return diff;
}

std::vector<ArmDiff> arms_between(const CheckResult* before, const CheckResult* after) {
  std::vector<ArmDiff> arms;
  if (after) {
    for (const ArmResult& arm : after->arms)
      arms.push_back(arm_between(arm.arm, before ? before->arm(arm.arm) : nullptr, &arm));
  }
  if (before) {
    for (const ArmResult& arm : before->arms) {
      if (!after || !after->arm(arm.arm)) arms.push_back(arm_between(arm.arm, &arm, nullptr));
    }
  }
  return arms;
}

CheckDiff check_between(const CheckResult* before, const CheckResult* after) {
  CheckDiff diff;
  diff.full_id = full_id(after ? *after : *before);
  diff.why = after ? after->why : std::string();
  if (before) diff.before = before->verdict;
  if (after) diff.after = after->verdict;
  diff.arms = arms_between(before, after);
  diff.direction = direction_of(diff.before, diff.after);
  if (!before) {
    diff.change = Change::Added;
  } else if (!after) {
    diff.change = Change::Deleted;
  } else {
    const bool arms_same = std::all_of(diff.arms.begin(), diff.arms.end(), [](const ArmDiff& arm) {
      return arm.change == Change::Unchanged;
    });
    diff.change = arms_same && diff.before == diff.after ? Change::Unchanged : Change::Changed;
  }
  return diff;
}

std::map<std::string, const CheckResult*> by_id(const Evidence& campaign) {
  std::map<std::string, const CheckResult*> found;
  for (const CheckResult& check : campaign.checks) found[full_id(check)] = &check;
  return found;
}

std::vector<CheckDiff> checks_between(const Evidence& before, const Evidence& after) {
  const auto old_checks = by_id(before);
  const auto new_checks = by_id(after);
  std::set<std::string> ids;
  for (const auto& [id, check] : old_checks) ids.insert(id);
  for (const auto& [id, check] : new_checks) ids.insert(id);
  std::vector<CheckDiff> diffs;
  for (const std::string& id : ids) {
    const auto was = old_checks.find(id);
    const auto is = new_checks.find(id);
    diffs.push_back(check_between(was == old_checks.end() ? nullptr : was->second,
                                  is == new_checks.end() ? nullptr : is->second));
  }
  const auto order = [](const CheckDiff& diff) {
    const int loud = diff.direction == Direction::Worse    ? 0
                     : diff.direction == Direction::Better ? 1
                                                           : 2;
    const int kind = diff.change == Change::Changed   ? 0
                     : diff.change == Change::Deleted ? 1
                     : diff.change == Change::Added   ? 2
                                                      : 3;
    return std::pair(loud, kind);
  };
  std::stable_sort(diffs.begin(), diffs.end(),
                   [&](const CheckDiff& a, const CheckDiff& b) { return order(a) < order(b); });
  return diffs;
}

std::vector<ProtectionDiff> protections_between(const Evidence& before, const Evidence& after) {
  std::vector<ProtectionDiff> diffs;
  for (const FactDiff& fact : facts_between(before.protections, after.protections, [](bool proven) {
         return std::string(proven ? "1" : "");
       })) {
    ProtectionDiff diff;
    diff.name = fact.name;
    if (fact.before) diff.before = !fact.before->empty();
    if (fact.after) diff.after = !fact.after->empty();
    const bool was = diff.before.value_or(false);
    const bool is = diff.after.value_or(false);
    diff.direction = was == is ? Direction::Same : was ? Direction::Worse : Direction::Better;
    // A protection that is new and that nothing proves is a gap that was not there.
    if (!diff.before && !is) diff.direction = Direction::Worse;
    diffs.push_back(diff);
  }
  std::stable_partition(diffs.begin(), diffs.end(), [](const ProtectionDiff& diff) {
    return diff.direction == Direction::Worse;
  });
  return diffs;
}

void count_arms(const std::vector<CheckDiff>& checks, Totals& totals) {
  for (const CheckDiff& check : checks) {
    for (const ArmDiff& arm : check.arms) {
      switch (arm.change) {
        case Change::Added: ++totals.added; break;
        case Change::Deleted: ++totals.deleted; break;
        case Change::Changed: ++totals.changed; break;
        case Change::Unchanged: ++totals.unchanged; break;
      }
    }
  }
}

}  // namespace

std::string_view name_of(Change change) {
  switch (change) {
    case Change::Added: return "added";
    case Change::Deleted: return "deleted";
    case Change::Changed: return "changed";
    case Change::Unchanged: return "unchanged";
  }
  return "unchanged";
}

Diff diff_campaigns(const Evidence& before, const Evidence& after) {
  Diff diff;
  const auto itself = [](const std::string& text) { return text; };
  diff.environment = facts_between(before.environment, after.environment, itself);
  diff.tools = facts_between(before.tools, after.tools, itself);
  diff.checks = checks_between(before, after);
  count_arms(diff.checks, diff.arms);
  diff.protections = protections_between(before, after);
  diff.became_incomplete = before.complete && !after.complete;
  for (const CheckDiff& check : diff.checks) {
    if (check.direction == Direction::Worse) ++diff.worse;
    if (check.direction == Direction::Better) ++diff.better;
  }
  for (const ProtectionDiff& protection : diff.protections) {
    if (protection.direction == Direction::Worse) ++diff.worse;
    if (protection.direction == Direction::Better) ++diff.better;
  }
  if (diff.became_incomplete) ++diff.worse;
  return diff;
}

}  // namespace pybox::reports
