#pragma once
/// The page's style sheet and script, as they stand in reports/assets/.

#include <string_view>

namespace pybox::reports {

std::string_view style_sheet();
std::string_view script();

}  // namespace pybox::reports
