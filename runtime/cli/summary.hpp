#pragma once
/// A receipt for people: the summary after `pybox exec`, and what `pybox receipts ID` shows.
/// Nothing the program said stands in it.

#include <string>

#include "receipt/receipt.hpp"

namespace pybox::cli {

/// "ended by itself, exit code 0": how the run ended, one line.
std::string ending(const RunReport& report);

/// Aligned lines, readable without colour.
std::string summary_text(const Receipt& receipt, bool colour);

}  // namespace pybox::cli
