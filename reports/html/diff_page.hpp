#pragma once
/// The page of `campaign diff --html`, also in a published site.

#include <string>

#include "reports/diff/diff.hpp"

namespace pybox::reports {

/// One self-contained page without a script, in the style of report.html.
std::string diff_html(const Evidence& before, const Evidence& after, const Diff& diff);

}  // namespace pybox::reports
