#pragma once
/// Whether a box may run although a protection was left out: never, in the boxd that is released
/// (seal_policy.cpp); exactly the named ones, in boxd-campaign (seal_policy_campaign.cpp).

#include <string>
#include <vector>

#include "box/cuts.hpp"
#include "receipt/report.hpp"

namespace pybox::boxd {

/// Whether boxd may keep the environment it was started with. A control arm that leaves out
/// proc.cleanenv must have something to hand on.
bool keeps_environment();
bool may_leave_out(const std::vector<std::string>& names);
box::Cuts cuts_for(const std::vector<std::string>& names);
/// The seal must hold; for a control arm it must fail in the named protections and in no other.
bool acceptable(const Seal& seal, const std::vector<std::string>& left_out);

}  // namespace pybox::boxd
