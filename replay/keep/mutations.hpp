#pragma once
/// Ways to falsify a recording, each of which judging it must notice: tests for the oracles.
/// Digests and chain are made anew behind every change, so that it is what the evidence says that
/// must give it away, not its seals.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "replay/clean/clean.hpp"

namespace pybox::replay {

struct Mutation {
  std::string_view name;
  std::string_view what;  ///< in words
  /// nullopt: this recording has nothing of the kind (no report, no second arm).
  std::optional<Evidence> (*apply)(const Evidence& source);
  /// Must change a verdict or be refused; another digest alone is not enough.
  bool must_change_verdict;
};

std::span<const Mutation> mutations();

}  // namespace pybox::replay
