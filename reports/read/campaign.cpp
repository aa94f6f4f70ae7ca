#include "reports/read/campaign.hpp"

#include <algorithm>

namespace pybox::reports {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Held: return "held";
    case Verdict::Broken: return "broken";
    case Verdict::Vacuous: return "vacuous";
    case Verdict::NotApplicable: return "not-applicable";
    case Verdict::Unmet: return "unmet";
    case Verdict::Error: return "error";
    case Verdict::Flaky: return "flaky";
  }
  return "";
}

std::optional<Verdict> verdict_from(std::string_view name) {
  for (const Verdict verdict : kVerdicts) {
    if (name_of(verdict) == name) return verdict;
  }
  return std::nullopt;
}

const Arm* Check::arm(std::string_view name) const {
  const auto found =
      std::find_if(arms.begin(), arms.end(), [&](const Arm& each) { return each.name == name; });
  return found == arms.end() ? nullptr : &*found;
}

std::uint64_t Campaign::count(Verdict of) const {
  const auto found = counts.find(of);
  return found == counts.end() ? 0 : found->second;
}

std::uint64_t Campaign::proven() const {
  return static_cast<std::uint64_t>(std::count_if(protections.begin(), protections.end(),
                                                  [](const auto& p) { return p.second; }));
}

}  // namespace pybox::reports
