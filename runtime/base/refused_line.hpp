#pragma once
/// How a reader of text files says what it will not take.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace pybox {

/// "`text`", made visible and cut to a length that fits into a message.
std::string in_ticks(std::string_view text);

/// Error kind Refused: "line 3: what".
Error refused_line(std::size_t line, std::string_view what);

}  // namespace pybox
