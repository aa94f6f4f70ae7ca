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

/// A table that scrolls by itself when it is too wide. `rows` are HTML, `columns` and `caption`
/// text.
std::string difference_table(std::string_view caption, const std::vector<std::string_view>& columns,
                             const std::string& rows);

}  // namespace pybox::reports::html
