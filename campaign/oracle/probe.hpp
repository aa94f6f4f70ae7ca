#pragma once
/// What a probe says of itself, as far as it can be believed. Other oracles begin with it.

#include "campaign/oracle/oracle.hpp"

namespace pybox::campaign {

/// Signatures that no probe chooses; each is an error of the check.
inline constexpr const char* kSilent = "silent";        ///< no line with the nonce
inline constexpr const char* kForged = "forged";        ///< more than one
inline constexpr const char* kUnproven = "unproven";    ///< reached without what would prove it
inline constexpr const char* kMalformed = "malformed";  ///< a line without a usable signature

/// The nonce decides which line counts; a `reached` that needs the canary is `unproven` without it.
Reading read_probe(const Check& check, const Record& record);

}  // namespace pybox::campaign
