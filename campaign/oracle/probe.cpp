#include "campaign/oracle/probe.hpp"

#include "campaign/oracle/probe_line.hpp"

namespace pybox::campaign {

Reading read_probe(const Check& check, const Record& record) {
  if (record.nonce.empty()) return {kSilent, "the attempt had no nonce", {}};
  const ProbeLines found = find_probe_lines(record.out, record.nonce);
  if (!found.line) return {kSilent, "no line with the nonce", {}};
  const ProbeLine& line = *found.line;
  if (found.count > 1)
    return {kForged, std::to_string(found.count) + " lines carry the nonce", line.text};
  if (line.signature.empty()) return {kMalformed, "the line has no usable signature", line.text};
  if (line.signature == kReached && check.needs_canary &&
      (record.canary.empty() || line.proof.find(record.canary) == std::string::npos)) {
    return {kUnproven, "`reached` without the canary in its proof", line.text};
  }
  return {line.signature, line.reason, line.text};
}

}  // namespace pybox::campaign
