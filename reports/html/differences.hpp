#pragma once
/// What changed between two campaigns, as sections of pages: report.html and the page of
/// `campaign diff` tell it alike.

#include <string>

#include "reports/diff/diff.hpp"

namespace pybox::reports::html {

/// Whether the page holds the checks of the later campaign, so that their names can lead there.
enum class Names { Linked, Plain };

/// Each is a table, or a sentence where nothing differs.
std::string fact_differences(const Diff& diff);
std::string check_differences(const Diff& diff, Names names);
std::string protection_differences(const Diff& diff);

}  // namespace pybox::reports::html
