#include "reports/render/changes.hpp"

namespace pybox::reports {
namespace {

using Values = std::map<std::string, std::string>;

std::vector<FactChange> fact_changes(const Values& before, const Values& now) {
  std::vector<FactChange> changes;
  Values all = before;
  all.insert(now.begin(), now.end());
  for (const auto& [name, value] : all) {
    const auto old = before.find(name);
    const auto fresh = now.find(name);
    FactChange change{name, old == before.end() ? "" : old->second,
                      fresh == now.end() ? "" : fresh->second};
    if (change.before != change.now) changes.push_back(std::move(change));
  }
  return changes;
}

/// Arms whose signatures differ, when the verdict is the same; empty when none does.
std::pair<std::string, std::string> signature_change(const Check& before, const Check& now) {
  std::pair<std::string, std::string> changed;
  for (const Arm& arm : now.arms) {
    const Arm* const old = before.arm(arm.name);
    if (old == nullptr || old->observed == arm.observed) continue;
    if (!changed.first.empty()) {
      changed.first += ", ";
      changed.second += ", ";
    }
    changed.first += arm.name + ": " + old->observed;
    changed.second += arm.name + ": " + arm.observed;
  }
  return changed;
}

}  // namespace

std::string_view name_of(CheckChange::Kind kind) {
  switch (kind) {
    case CheckChange::Kind::Added: return "added";
    case CheckChange::Kind::Deleted: return "deleted";
    case CheckChange::Kind::Changed: return "changed";
  }
  return "";
}

Changes changes_between(const Campaign& before, const Campaign& now) {
  using Kind = CheckChange::Kind;
  Changes changes;
  changes.environment = fact_changes(before.environment, now.environment);
  changes.tools = fact_changes(before.tools, now.tools);
  std::map<std::string, const Check*> old;
  for (const Check& check : before.checks) old[check.full_id()] = &check;
  for (const Check& check : now.checks) {
    const auto found = old.find(check.full_id());
    const std::string verdict(name_of(check.verdict));
    if (found == old.end()) {
      changes.checks.push_back({Kind::Added, check.full_id(), "", verdict});
      continue;
    }
    const Check& was = *found->second;
    auto [from, to] = was.verdict != check.verdict
                          ? std::pair(std::string(name_of(was.verdict)), verdict)
                          : signature_change(was, check);
    old.erase(found);
    if (to.empty()) {
      ++changes.unchanged;
    } else {
      changes.checks.push_back({Kind::Changed, check.full_id(), std::move(from), std::move(to)});
    }
  }
  for (const auto& [id, check] : old) {
    changes.checks.push_back({Kind::Deleted, id, std::string(name_of(check->verdict)), ""});
  }
  return changes;
}

}  // namespace pybox::reports
