#pragma once
/// What a person reads when a campaign has ended.

#include <string>

#include "campaign/model/evidence.hpp"

namespace pybox::campaign {

/// "broken  net.loopback@native  the attack came through …": one line without newline.
std::string verdict_line(const CheckResult& check);

/// The table of areas and verdicts, protections proven N of M with the others named and why, and
/// the verdict of the whole.
std::string summary_text(const Evidence& evidence, bool colour);

}  // namespace pybox::campaign
