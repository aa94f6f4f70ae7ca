#pragma once
/// What one box's seal read back otherwise than another's.

#include <string>
#include <vector>

#include "receipt/report.hpp"

namespace pybox::campaign {

/// Names of protections whose read-back in `other` is not that of `reference`, sorted, each once: a
/// check that holds in one and not in the other, one that is missing or there more often, or one
/// that was expected alike and observed otherwise. Values that each box is given anew (ids, pids)
/// are expected anew too, and need only hold.
std::vector<std::string> seal_differences(const Seal& reference, const Seal& other);

/// Names of protections that do not hold, sorted, each once.
std::vector<std::string> not_holding(const Seal& seal);

}  // namespace pybox::campaign
