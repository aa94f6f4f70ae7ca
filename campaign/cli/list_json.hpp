#pragma once
/// `campaign list --json`.

#include <string>
#include <vector>

#include "campaign/model/check.hpp"

namespace pybox::campaign {

/// {"schema_version": 1, "checks": [{id, engine, area, group, claim, cut, arms}]}
std::string list_json(const std::vector<Check>& checks);

}  // namespace pybox::campaign
