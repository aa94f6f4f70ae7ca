#pragma once
/// The text of a program that runs in a box: ASK, the prelude, the probe.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pybox::campaign {

/// {"nonce", "args", "world"} as compact ASCII. `args` and `world` are JSON objects. Error kind
/// Protocol when one is none.
Result<std::string> ask_json(std::string_view nonce, std::string_view args, std::string_view world);

/// ASK as one line of Python in front of prelude and probe.
std::string program_text(std::string_view ask, std::string_view prelude, std::string_view probe);

}  // namespace pybox::campaign
