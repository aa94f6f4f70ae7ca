#pragma once
/// The sentences and numbers in which a diff is told, whatever the format.

#include <string>
#include <vector>

#include "reports/diff/diff.hpp"

namespace pybox::reports {

/// "nothing got worse", "2 things got worse: 1 check, 1 protection".
std::string verdict_sentence(const Diff& diff);
/// "worse", "better", or how it changed where it is neither.
std::string_view word_of(Direction direction, Change change);
/// "held → broken", "held → gone", "new: held".
std::string verdict_change(const CheckDiff& check);
/// "proven → unproven", "new: proven".
std::string proof_change(const ProtectionDiff& protection);
/// "3 held, 1 broken": the counts that are not 0, worst first.
std::string counts_text(const Evidence& campaign);
/// "protected: ESRCH → EPERM", an item for each arm that changed. Untrusted, for the caller to
/// escape.
std::vector<std::string> arm_changes(const CheckDiff& check);
/// Whether the later one names the earlier one as its predecessor.
std::string link_sentence(const Evidence& before, const Evidence& after);

}  // namespace pybox::reports
