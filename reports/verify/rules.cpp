#include "reports/verify/rules.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "reports/verify/parts.hpp"

namespace pybox::reports::verify {
namespace {

template <class List, class Item>
bool holds(const List& list, const Item& item) {
  return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

const Arm* arm_of(const Check& check, std::string_view name) {
  for (const Arm& arm : check.arms) {
    if (arm.name == name) return &arm;
  }
  return nullptr;
}

bool fits(const Arm& arm, const std::string& observed) {
  static constexpr std::array<std::string_view, 6> kNoAnswer = {"reached", "trouble",  "silent",
                                                                "forged",  "unproven", "malformed"};
  if (observed.empty()) return false;
  return arm.expected.empty() ? !holds(kNoAnswer, observed) : holds(arm.expected, observed);
}

bool all_attempts(const Arm& arm, const std::string& observed) {
  return !arm.attempts.empty() &&
         std::all_of(arm.attempts.begin(), arm.attempts.end(),
                     [&](const Attempt& each) { return each.observed == observed; });
}

bool is_only(const Arm& arm) { return arm.name.starts_with("only:"); }

/// Why an arm of a held check cannot be one; empty when it can.
std::string flaw_of(const Check& check, const Arm& arm) {
  if (arm.attempts.empty()) return arm.name + " was never run";
  if (is_only(arm) && arm.observed == "reached") {
    if (!holds(check.redundant, arm.name.substr(5))) {
      return arm.name + " let the attack through, and `redundant` does not say so";
    }
    return "";
  }
  if (!fits(arm, arm.observed))
    return arm.name + " showed `" + arm.observed + "`, which it must not";
  for (const Attempt& attempt : arm.attempts) {
    if (!fits(arm, attempt.observed))
      return "an attempt of " + arm.name + " showed `" + attempt.observed + "`";
    if (!attempt.has_seal) continue;
    const std::set<std::string> differs(attempt.differs.begin(), attempt.differs.end());
    const std::set<std::string> removed(arm.removed.begin(), arm.removed.end());
    if (differs != removed)
      return "the seal of " + arm.name + " differs by other protections than were left out";
    if (removed.empty() && !attempt.seal_verified)
      return "the seal of " + arm.name + " was not verified";
  }
  return "";
}

std::string flaw_of_held(const Check& check) {
  for (const char* name : {"protected", "control"}) {
    if (arm_of(check, name) == nullptr) return std::string("it has no arm `") + name + "`";
  }
  for (const Arm& arm : check.arms) {
    std::string flaw = flaw_of(check, arm);
    if (!flaw.empty()) return flaw;
  }
  return "";
}

/// Why the arms contradict the verdict; empty when they do not. Red verdicts need no defence: only
/// what could hide a breakthrough is looked at.
std::string contradiction(const Check& check) {
  const Arm* const tried = arm_of(check, "protected");
  const bool broke = tried != nullptr && all_attempts(*tried, "reached");
  if (check.verdict == "held") return flaw_of_held(check);
  if (check.verdict == "broken")
    return broke ? "" : "not every attempt of the protected arm reached";
  if (broke && !fits(*tried, "reached"))
    return "every attempt of the protected arm reached, so it is broken";
  if (check.verdict == "unmet") {
    const bool said = std::any_of(check.arms.begin(), check.arms.end(), [](const Arm& arm) {
      return std::any_of(arm.attempts.begin(), arm.attempts.end(),
                         [](const Attempt& each) { return each.observed == "unmet"; });
    });
    return said || check.has_unmet_event ? "" : "no event says what this host lacks";
  }
  if (check.verdict == "not-applicable") {
    const Arm* const control = arm_of(check, "control");
    return control != nullptr && !control->attempts.empty() && control->observed != "reached"
               ? ""
               : "its control reached or was never run";
  }
  return "";
}

std::vector<std::string> proofs_of(const Check& check) {
  const Arm* const control = arm_of(check, "control");
  if (check.verdict != "held" || control == nullptr) return {};
  if (control->removed.size() == 1) return control->removed;
  std::vector<std::string> names;
  for (const Arm& arm : check.arms) {
    if (is_only(arm) && arm.observed != "reached") names.push_back(arm.name.substr(5));
  }
  return names;
}

std::string whole_verdict(const Whole& whole, std::map<std::string, std::uint64_t>& counts) {
  for (const char* name : {"broken", "error", "vacuous", "flaky"}) {
    if (counts[name] > 0) return name;
  }
  for (const Check& check : whole.checks) {
    if (check.verdict == "unmet" && !whole.unmet_expected.contains(check.full_id)) return "unmet";
  }
  return whole.complete ? "held" : "incomplete";
}

Result<void> check_proofs(const Whole& whole) {
  std::map<std::string, std::set<std::string>> matrix;
  for (const Check& check : whole.checks) {
    for (const std::string& name : proofs_of(check)) matrix[name].insert(check.full_id);
  }
  auto listed = whole.matrix;
  std::erase_if(listed, [](const auto& row) { return row.second.empty(); });
  if (listed != matrix) return wrong("`matrix` is not what the held checks prove");
  for (const auto& [name, proven] : whole.proven) {
    if (proven != matrix.contains(name)) {
      return wrong("`protections." + visible(name) + "` is " + (proven ? "proven" : "unproven") +
                   ", the checks say otherwise");
    }
  }
  for (const auto& [name, checks] : matrix) {
    if (!whole.proven.contains(name)) return wrong("`protections` leaves out " + visible(name));
  }
  return {};
}

}  // namespace

Result<void> check_rules(const Whole& whole) {
  std::map<std::string, std::uint64_t> counts;
  std::set<std::string> ids;
  for (const Check& check : whole.checks) {
    if (!ids.insert(check.full_id).second) return wrong(visible(check.full_id) + " appears twice");
    if (!holds(kVerdictNames, check.verdict)) {
      return wrong(visible(check.full_id) + " has the verdict `" + visible(check.verdict) + "`");
    }
    const std::string flaw = contradiction(check);
    if (!flaw.empty()) {
      return wrong(visible(check.full_id) + " cannot be `" + check.verdict + "`: " + visible(flaw));
    }
    ++counts[check.verdict];
  }
  for (const auto& [name, count] : whole.counts) {
    if (count != counts[name]) {
      return wrong("`counts." + name + "` is " + std::to_string(count) + ", the arms give " +
                   std::to_string(counts[name]));
    }
  }
  const std::string verdict = whole_verdict(whole, counts);
  if (whole.verdict != verdict) {
    return wrong("`verdict` is `" + visible(whole.verdict) + "`, the checks give `" + verdict +
                 "`");
  }
  return check_proofs(whole);
}

}  // namespace pybox::reports::verify
