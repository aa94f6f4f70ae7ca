#pragma once
/// What a person reads when a campaign has ended.

#include <string>
#include <vector>

#include "campaign/model/evidence.hpp"

namespace pybox::campaign {

/// "broken  net.loopback@native  the attack came through …": one line without newline.
std::string verdict_line(const CheckResult& check, bool colour);

/// The table of areas and verdicts, protections proven N of M with the others named and why, and
/// the verdict of the whole. `known`: every check there is, so that a protection whose checks are
/// all for an engine that did not run is told from one that nobody tried.
std::string summary_text(const Evidence& evidence, bool colour,
                         const std::vector<Check>& known = {});

}  // namespace pybox::campaign
