#pragma once
/// A receipt for people: the summary after `pybox exec`, and what `pybox receipts ID` shows.
/// Nothing the program said stands in it.

#include <string>
#include <string_view>

#include "receipt/receipt.hpp"

namespace pybox::cli {

/// "ended by itself, exit code 0": how the run ended, one line.
std::string ending(const RunReport& report);

/// Aligned lines, readable without colour. `output`: the folder that returned files went to, as the
/// user wrote it; empty where they went nowhere.
std::string summary_text(const Receipt& receipt, bool colour, std::string_view output = {});

}  // namespace pybox::cli
