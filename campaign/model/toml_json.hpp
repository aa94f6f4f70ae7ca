#pragma once
/// The table `ask` of a check as the JSON that probes and drivers get.

#include <string>

#include "base/toml.hpp"

namespace pybox::campaign {

/// Compact, ASCII. Times cannot be passed on: `trouble_line` then is the line of the first, else 0.
std::string toml_to_json(const TomlValue& table, std::size_t& trouble_line);

}  // namespace pybox::campaign
