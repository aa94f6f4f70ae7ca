#pragma once
/// plan.json: what will be run and what each arm must show, written and signed before the first
/// arm. Together with events and blobs it is all that judging needs.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/check.hpp"

namespace pybox::campaign {

struct PlannedCheck {
  Check check;
  std::vector<Arm> arms;  ///< those that will be run, in this order; with `--arm` not all of them
  /// SHA-256 of the texts of probe (with its prelude) or driver, and of the benign probe; the texts
  /// are blobs.
  std::map<std::string, std::string> texts;
};

struct Plan {
  std::string id;
  std::string created;       ///< RFC 3339 UTC
  std::uint32_t passes = 1;  ///< how often every arm is run
  /// Full ids that may be unmet, with `*` for any text.
  std::vector<std::string> expected_unmet;
  std::vector<PlannedCheck> checks;  ///< in the order in which they are run
};

/// RFC 8785 bytes, a newline at the end.
Result<std::string> plan_to_json(const Plan& plan);
/// The reverse. Strict: whatever is unknown, missing or of another type is an error of kind
/// Evidence.
Result<Plan> plan_from_json(std::string_view json);

}  // namespace pybox::campaign
