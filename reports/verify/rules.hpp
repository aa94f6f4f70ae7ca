#pragma once
/// What follows from the arms of a campaign: whether each verdict is one they can bear, and every
/// number that is made of them. Pure.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::reports::verify {

inline constexpr std::array<std::string_view, 7> kVerdictNames = {
    "held", "broken", "vacuous", "not-applicable", "unmet", "error", "flaky"};

struct Attempt {
  std::uint64_t number = 0;
  std::string observed;
  bool has_seal = false, seal_verified = false;
  std::vector<std::string> differs;
};

struct Arm {
  std::string name, observed;
  std::vector<std::string> removed, expected;
  std::vector<Attempt> attempts;
};

struct Check {
  std::string full_id, verdict;
  std::vector<std::string> redundant;
  std::vector<Arm> arms;
  bool has_unmet_event = false;
};

struct Whole {
  std::string verdict;
  bool complete = false;
  std::map<std::string, std::uint64_t> counts;
  std::map<std::string, bool> proven;
  std::map<std::string, std::set<std::string>> matrix;
  std::set<std::string> unmet_expected;
  std::vector<Check> checks;
};

/// Errors of kind Evidence: a verdict that the arms contradict, a number that is not theirs.
Result<void> check_rules(const Whole& whole);

}  // namespace pybox::reports::verify
