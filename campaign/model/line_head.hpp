#pragma once
/// What a line of events.jsonl says of itself, whatever it is about.

#include <cstdint>
#include <string>

#include "base/units.hpp"

namespace pybox::campaign {

struct LineHead {
  std::uint64_t seq = 0;
  std::string prev;  ///< SHA-256 of the line before; 64 zeros in the first
  Nanos at{};        ///< monotonic, since the start
  std::string utc;   ///< RFC 3339
};

}  // namespace pybox::campaign
