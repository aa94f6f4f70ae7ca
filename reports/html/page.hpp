#pragma once
/// report.html: one self-contained page. It asks nothing of any network, reads without JavaScript
/// and holds no text of a probe but escaped, as text.

#include <string>
#include <vector>

#include "reports/read/campaign.hpp"

namespace pybox::reports {

struct ReportInput {
  const Campaign& campaign;
  const Campaign* previous = nullptr;   ///< what to compare with; nullptr: none
  const std::vector<PastRun>& history;  ///< oldest first
};

std::string report_html(const ReportInput& input);

}  // namespace pybox::reports
