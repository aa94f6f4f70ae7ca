#pragma once
/// Words to one text.

#include <string>
#include <string_view>
#include <vector>

namespace pybox {

/// "a b c"; empty for no words. An empty word at the front leaves no separator behind it.
std::string join(const std::vector<std::string>& words, std::string_view between = " ");

}  // namespace pybox
