#pragma once
/// Receipts for runs whose client died: their records (receipt/pending.hpp) are composed, signed
/// and kept like any other receipt.

#include <vector>

#include "base/result.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::run {

/// Adopts what is pending. Gives one Error for each record that cannot be adopted; such a record is
/// renamed to NAME.broken, so that it is kept and reported once.
std::vector<Error> adopt_pending(const sys::StateDirs& dirs);

}  // namespace pybox::run
