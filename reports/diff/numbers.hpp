#pragma once
/// The numbers of two campaigns side by side, and the fence that tells noise from change.

#include <vector>

#include "reports/diff/diff.hpp"

namespace pybox::reports {

/// One entry for each kind of number that both campaigns have.
std::vector<NumberFence> numbers_between(const Campaign& before, const Campaign& after);

/// Q3 + 3·IQR, quartiles by linear interpolation. Precondition: not empty.
double outer_fence(std::vector<double> values);

}  // namespace pybox::reports
