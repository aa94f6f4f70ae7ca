#pragma once
/// summary.md: the campaign on one page, for a pull request or the summary of a CI step.

#include <string>

#include "campaign/model/evidence.hpp"

namespace pybox::reports {

/// `previous` is what to compare with, nullptr for none. Whatever a probe wrote stands in code
/// spans. Below 1 MiB, which is what a CI step's summary may have.
std::string summary_markdown(const campaign::Evidence& campaign,
                             const campaign::Evidence* previous);

}  // namespace pybox::reports
