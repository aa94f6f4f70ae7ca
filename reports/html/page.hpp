#pragma once
/// report.html: one self-contained page. It asks nothing of any network, reads without JavaScript
/// and holds no text of a probe but escaped, as text.

#include <string>
#include <vector>

#include "campaign/model/history.hpp"

namespace pybox::reports {

using campaign::Evidence;
using campaign::PastRun;

struct ReportInput {
  const Evidence& campaign;
  const Evidence* previous = nullptr;   ///< what to compare with; nullptr: none
  const std::vector<PastRun>& history;  ///< oldest first
};

std::string report_html(const ReportInput& input);

}  // namespace pybox::reports
