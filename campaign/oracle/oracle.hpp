#pragma once
/// Oracles: pure functions from what an attempt left behind to one word. No clock, no files, no
/// host: an old recording can be judged by a new oracle. One file an oracle (oracle/NAME.cpp), all
/// of them listed in oracle/oracles.cpp.

#include <span>
#include <string>
#include <string_view>

#include "campaign/model/check.hpp"
#include "campaign/model/record.hpp"

namespace pybox::campaign {

struct Reading {
  Signature signature;
  std::string why;   ///< for people: what led to it; may be empty
  std::string line;  ///< the probe's line as it came; empty when there is none
};

struct Oracle {
  std::string_view name;  ///< as `oracle` in check tables
  std::string_view looks_at;
  Reading (*read)(const Check& check, const Record& record);
};

std::span<const Oracle> oracles();
/// nullptr when there is none.
const Oracle* find_oracle(std::string_view name);

}  // namespace pybox::campaign
