#include "campaign/oracle/verdicts.hpp"

#include <algorithm>
#include <optional>

#include "base/join.hpp"
#include "base/text.hpp"
#include "campaign/oracle/arm_results.hpp"
#include "campaign/oracle/probe.hpp"

namespace pybox::campaign {
namespace {

struct Finding {
  Verdict verdict = Verdict::Error;
  std::string why;
};
/// A rule that has nothing to say gives nothing.
using Found = std::optional<Finding>;

Finding error(std::string why) { return {Verdict::Error, std::move(why)}; }

std::string joined(const std::vector<std::string>& words) {
  const std::string text = join(words, ", ");
  return text.empty() ? "nothing" : text;
}

/// "`EPERM` (1 of 1)": what an arm showed, with the reason where there is one.
std::string showed(const ArmResult& arm) {
  std::string text = arm.arm + " showed `" + arm.observed + "`";
  for (const AttemptResult& attempt : arm.attempts) {
    if (attempt.observed == arm.observed && !attempt.why.empty()) return text + ": " + attempt.why;
  }
  return text;
}

bool all_reached(const ArmResult& arm) {
  return !arm.attempts.empty() &&
         std::all_of(arm.attempts.begin(), arm.attempts.end(),
                     [](const AttemptResult& each) { return each.observed == kReached; });
}

bool is_unusable(const Signature& signature) {
  return signature == kTrouble || signature == kSilent || signature == kForged ||
         signature == kUnproven || signature == kMalformed;
}

class Rules {
 public:
  Rules(const PlannedCheck& planned, const std::vector<ArmResult>& arms)
      : check_(planned.check), arms_(arms) {}

  Finding find() {
    // The order is the point: a breakthrough is never hidden by other trouble, and nothing is
    // vacuous or not applicable before the arms are known to have run.
    using Rule = Found (Rules::*)();
    static constexpr Rule kRules[] = {&Rules::unmet,      &Rules::broken,   &Rules::not_run,
                                      &Rules::flaky,      &Rules::unusable, &Rules::not_applicable,
                                      &Rules::unexpected, &Rules::vacuous,  &Rules::seals,
                                      &Rules::only_arms,  &Rules::benign};
    for (const Rule rule : kRules) {
      if (Found found = (this->*rule)()) return *std::move(found);
    }
    return {Verdict::Held, held_why()};
  }

 private:
  const ArmResult* arm(const ArmName& name) const {
    const auto found = std::find_if(arms_.begin(), arms_.end(),
                                    [&](const ArmResult& each) { return each.arm == name; });
    return found == arms_.end() ? nullptr : &*found;
  }

  Found unmet() {
    if (check_.driver.empty()) return {};
    for (const ArmResult& each : arms_) {
      for (const AttemptResult& attempt : each.attempts) {
        if (attempt.observed == kUnmetSignature)
          return Finding{Verdict::Unmet, attempt.why.empty() ? "the driver says so" : attempt.why};
      }
    }
    return {};
  }

  Found broken() {
    const ArmResult* tried = arm(kProtected);
    if (tried == nullptr || !all_reached(*tried)) return {};
    const std::size_t times = tried->attempts.size();
    return Finding{Verdict::Broken, "the attack came through with every protection on, " +
                                        std::to_string(times) +
                                        (times == 1 ? " time" : " times, each with a fresh nonce")};
  }

  Found not_run() {
    for (const Arm& wanted : arms_of(check_)) {
      const ArmResult* found = arm(wanted.name);
      if (found == nullptr) return error(wanted.name + " was not asked for, so nothing is proven");
      if (found->attempts.empty()) return error(wanted.name + " did not run to its end");
    }
    return {};
  }

  Found flaky() {
    for (const ArmResult& each : arms_) {
      std::vector<std::string> seen;
      bool some_fit = false;
      bool all_fit = true;
      for (const AttemptResult& attempt : each.attempts) {
        const bool fits = fits_arm(each, attempt.observed);
        some_fit = some_fit || fits;
        all_fit = all_fit && fits;
        seen.push_back(attempt.observed);
      }
      if (some_fit && !all_fit)
        return Finding{Verdict::Flaky, "repetitions of " + each.arm + " disagree: " + joined(seen)};
    }
    return {};
  }

  Found unusable() {
    for (const ArmResult& each : arms_) {
      if (is_unusable(each.observed)) return error(showed(each));
      for (const AttemptResult& attempt : each.attempts) {
        if (attempt.seal && each.removed.empty() && !attempt.seal->verified)
          return error("the seal of " + each.arm + " was not verified");
      }
    }
    return {};
  }

  Found not_applicable() {
    const ArmResult& control = *arm(kControl);
    const auto& absent = check_.absent;
    if (std::find(absent.begin(), absent.end(), control.observed) == absent.end()) return {};
    if (arm(kProtected)->observed == kReached) return {};
    return Finding{Verdict::NotApplicable,
                   "there is no such thing here: the control met `" + control.observed + "`"};
  }

  Found unexpected() {
    const ArmResult& tried = *arm(kProtected);
    if (fits_arm(tried, tried.observed)) return {};
    return error(showed(tried) + ", expected " + joined(tried.expected));
  }

  Found vacuous() {
    const ArmResult& control = *arm(kControl);
    if (fits_arm(control, control.observed)) return {};
    return Finding{Verdict::Vacuous,
                   showed(control) + " without " + joined(control.removed) +
                       ": the attack never worked, so its failure proves nothing"};
  }

  Found seals() {
    if (check_.probe.empty()) return {};
    for (const ArmResult& each : arms_) {
      std::vector<std::string> removed = each.removed;
      std::sort(removed.begin(), removed.end());
      for (const AttemptResult& attempt : each.attempts) {
        if (!attempt.seal || attempt.seal->checks == 0)
          return error(each.arm + " reported no seal");
        if (attempt.seal->differs != removed)
          return error("the seal of " + each.arm + " differs in " + joined(attempt.seal->differs) +
                       ", not in exactly " + joined(removed));
      }
    }
    return {};
  }

  Found only_arms() {
    for (const ArmResult& each : arms_) {
      if (!each.arm.starts_with(kOnly) || each.observed == kReached) continue;
      if (!fits_arm(each, each.observed))
        return error(showed(each) + ", expected " + joined(each.expected));
    }
    return {};
  }

  Found benign() {
    const ArmResult* found = arm(kBenign);
    if (found == nullptr || fits_arm(*found, found->observed)) return {};
    return error("the legitimate use next door does not work: " + showed(*found));
  }

  std::string held_why() const {
    return "blocked with `" + arm(kProtected)->observed + "`, " + "`" + arm(kControl)->observed +
           "` without " + (check_.cut.empty() ? "what it proves" : joined(check_.cut));
  }

  const Check& check_;
  const std::vector<ArmResult>& arms_;
};

}  // namespace

CheckResult judge_check(const PlannedCheck& planned,
                        const std::map<ArmName, std::vector<Attempted>>& attempts) {
  const Check& check = planned.check;
  CheckResult result;
  result.id = check.id;
  result.engine = check.engine;
  result.area = check.area;
  result.group = check.group;
  result.claim = check.claim;
  result.arms = arm_results(planned, attempts);
  Finding finding = Rules(planned, result.arms).find();
  result.verdict = finding.verdict;
  result.why = std::move(finding.why);
  for (const ArmResult& arm : result.arms) {
    if (arm.arm.starts_with(kOnly) && arm.observed == kReached)
      result.redundant.push_back(arm.arm.substr(kOnly.size()));
  }
  return result;
}

std::vector<std::string> proven_by(const CheckResult& result, const std::vector<std::string>& cut) {
  if (result.verdict != Verdict::Held) return {};
  if (cut.size() == 1) return cut;
  std::vector<std::string> proven;
  for (const ArmResult& arm : result.arms) {
    if (arm.arm.starts_with(kOnly) && arm.observed != kReached)
      proven.push_back(arm.arm.substr(kOnly.size()));
  }
  return proven;
}

}  // namespace pybox::campaign
