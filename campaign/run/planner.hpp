#pragma once
/// Which arms are run, and in which order. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/plan.hpp"
#include "campaign/model/sources.hpp"

namespace pybox::campaign {

struct PlanOrder {
  std::vector<Check> checks;
  std::optional<ArmName> arm;  ///< only this arm of each check
  std::uint32_t passes = 1;
  std::vector<std::string> expected_unmet;
};

/// Checks that share a world stand together (starting a VM is dear): native probes, VM probes,
/// VM probes with worlds of their own, drivers. Within a check protected and control stand back to
/// back; which comes first alternates from check to check. Error kind Usage: no check has the arm.
Result<Plan> make_plan(PlanOrder order, const CheckSources& sources, std::string id,
                       std::string created);

/// The whole text of a probe or driver arm but for what ASK holds: what the plan's digests are of.
std::string text_of(const CheckSources& sources, const Check& check, bool benign);

/// The lines of a list of expected `unmet`: words before `#`, empty lines dropped.
std::vector<std::string> expected_from(std::string_view text);

}  // namespace pybox::campaign
