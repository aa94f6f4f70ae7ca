#pragma once
/// The one line of a probe that counts: the JSON object with the attempt's nonce.

#include <optional>
#include <string>
#include <string_view>

namespace pybox::campaign {

struct ProbeLine {
  std::string text;       ///< as it came
  std::string signature;  ///< safe to print; empty when the line has none that is usable
  std::string proof;      ///< the text, or the JSON of anything else
  std::string reason;     ///< detail.reason, where it is a text; safe to print
};

struct ProbeLines {
  std::optional<ProbeLine> line;  ///< the first with the nonce
  std::size_t count = 0;          ///< how many carry it; one is right
};

/// Looks at every line of `out`, hostile text of any size that was kept.
ProbeLines find_probe_lines(std::string_view out, std::string_view nonce);

}  // namespace pybox::campaign
