#pragma once
/// From the recorded pairs to bench.json.

#include <string_view>

#include "base/result.hpp"
#include "campaign/model/bench.hpp"

namespace pybox::campaign {

/// Pure: the same texts, the same figures. A case counts once it has ended with at least one pair
/// behind its warm-up. Error kind Evidence: the events do not hold, or speak of a case that was not
/// planned.
Result<Bench> figures_of(std::string_view plan, std::string_view events);

}  // namespace pybox::campaign
