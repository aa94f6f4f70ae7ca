#pragma once
/// What each attempt at each arm showed, before anybody judges it.

#include <map>
#include <vector>

#include "campaign/model/evidence.hpp"
#include "campaign/model/plan.hpp"
#include "campaign/oracle/history.hpp"

namespace pybox::campaign {

/// One for each planned arm, in the plan's order; an arm without attempts was not run.
std::vector<ArmResult> arm_results(const PlannedCheck& planned,
                                   const std::map<ArmName, std::vector<Attempted>>& attempts);

/// Whether the signature is one the arm was to show.
bool fits_arm(const ArmResult& arm, const Signature& signature);

}  // namespace pybox::campaign
