#pragma once
/// What `campaign diff` prints.

#include <string>

#include "reports/diff/diff.hpp"

namespace pybox::reports {

/// For a terminal: every text from the campaigns is made safe to print.
std::string diff_text(const Evidence& before, const Evidence& after, const Diff& diff);

}  // namespace pybox::reports
