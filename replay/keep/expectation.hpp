#pragma once
/// What judging a recording gives, in the few words that must stay the same; and where today's
/// answer has drifted from them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/evidence.hpp"

namespace pybox::replay {

/// expect.json: verdicts and signatures of every check and arm, the digest of the environment and
/// that of the whole campaign.json, RFC 8785 with a newline at the end.
Result<std::string> expectation(const campaign::Evidence& judged);

/// Drifts are told apart, since each asks for something else: a verdict that changed is a finding,
/// an environment that reads otherwise is a change of the cleaner or reader, and bytes that differ
/// with the same verdicts are a change of format.
enum class DriftKind { Verdict, Environment, Format };
std::string_view name_of(DriftKind kind);

struct Drift {
  DriftKind kind;
  std::string what;  ///< "receipts.hello@native: held, expected broken"
};

/// Empty when the two texts are the same byte for byte. An expect.json that cannot be read is a
/// Format drift.
std::vector<Drift> drifts(std::string_view expected, std::string_view today);

}  // namespace pybox::replay
