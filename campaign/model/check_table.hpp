#pragma once
/// Check tables (docs/evidence.md "A check") to checks. Whatever is unknown, missing, of another
/// type or twice there is an error that names file and line: a check that was not understood must
/// not be left out in silence.

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/check.hpp"
#include "campaign/model/sources.hpp"

namespace pybox::campaign {

/// What `needs` may name.
std::span<const std::string_view> known_needs();

/// What `oracle` may name; the table of oracles is above this folder.
using IsOracle = std::function<bool(std::string_view)>;

/// Every check of the sources, sorted by area, id and engine. Errors have kind Refused.
Result<std::vector<Check>> read_checks(const CheckSources& sources, const IsOracle& is_oracle);

}  // namespace pybox::campaign
