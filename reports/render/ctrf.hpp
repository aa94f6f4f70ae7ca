#pragma once
/// ctrf.json, the Common Test Report Format (specVersion 0.0.0).

#include <string>

#include "base/result.hpp"
#include "campaign/model/evidence.hpp"

namespace pybox::reports {

/// One test a check. What the format has no key for stands in `extra` under "pybox.…".
Result<std::string> ctrf_json(const campaign::Evidence& campaign);

}  // namespace pybox::reports
