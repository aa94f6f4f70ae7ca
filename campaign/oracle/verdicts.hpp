#pragma once
/// From the attempts at a check's arms to its verdict. Pure; the rules are those of
/// docs/evidence.md "Verdicts".

#include <map>
#include <vector>

#include "campaign/model/evidence.hpp"
#include "campaign/model/plan.hpp"
#include "campaign/oracle/history.hpp"

namespace pybox::campaign {

/// What an attempt counts as when there was no usable run.
inline constexpr const char* kTrouble = "trouble";
/// What a driver says where this host lacks what it needs.
inline constexpr const char* kUnmetSignature = "unmet";

/// What the oracle of the check reads from one attempt; `trouble` where there is none to read.
/// The runner asks the same to know whether to repeat.
Signature signature_of(const Check& check, const Record& record);

/// The whole of a check. `attempts` by arm, in the order in which they were made.
CheckResult judge_check(const PlannedCheck& planned,
                        const std::map<ArmName, std::vector<Attempted>>& attempts);

/// The protections that a held check proves: its whole cut set of one, or those whose `only:` arm
/// blocked what the control reached.
std::vector<std::string> proven_by(const CheckResult& result, const std::vector<std::string>& cut);

}  // namespace pybox::campaign
