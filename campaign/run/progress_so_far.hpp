#pragma once
/// What a journal says has been done: how often each arm ended and what came through.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/blobs.hpp"
#include "campaign/model/event.hpp"
#include "campaign/model/plan.hpp"
#include "campaign/oracle/history.hpp"

namespace pybox::campaign {

struct ArmProgress {
  std::uint32_t started = 0;  ///< the next attempt's number is one more
  std::uint32_t ended = 0;
  bool reached = false;  ///< at least one attempt came through
};

struct Done {
  std::map<std::pair<std::string, ArmName>, ArmProgress> arms;  ///< by full id and arm
  std::set<std::string> unmet;                                  ///< full ids
  /// What each arm left behind, by full id: what a verdict is made from.
  std::map<std::string, std::map<ArmName, std::vector<Attempted>>> attempts;

  ArmProgress& of(const Check& check, const Arm& arm) { return arms[{full_id(check), arm.name}]; }
};

/// Error kind Evidence as history_of().
Result<Done> done_so_far(const Plan& plan, const std::vector<Event>& events, const Blobs& blobs);

}  // namespace pybox::campaign
