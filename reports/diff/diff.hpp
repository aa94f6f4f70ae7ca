#pragma once
/// What changed between two campaigns, the environment first: it explains most of the rest. Pure;
/// `campaign diff`, report.html and summary.md tell of the result. What an arm showed is compared
/// by its signatures, not by the check's verdict alone: a check that holds for another reason than
/// before has changed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/read/campaign.hpp"

namespace pybox::reports {

enum class Change { Added, Deleted, Changed, Unchanged };
std::string_view name_of(Change change);

/// Whether evidence was lost by it. Only verdicts and proofs decide: numbers are noise until a
/// person has looked, and another signature with the same verdict is neither better nor worse.
enum class Direction { Same, Better, Worse };

/// A fact that differs; nullopt where there is none.
struct FactDiff {
  std::string name;
  std::optional<std::string> before, after;
};

/// One arm, by (check, engine, arm).
struct ArmDiff {
  std::string name;
  Change change = Change::Unchanged;
  /// "reached", or "reached, EPERM" when its attempts disagreed; nullopt: no such arm.
  std::optional<std::string> before, after;
};

struct CheckDiff {
  std::string id, engine, area, claim;  ///< of the later campaign that has it
  Change change = Change::Unchanged;
  Direction direction = Direction::Same;
  std::optional<Verdict> before, after;
  std::string why;            ///< of the later verdict
  std::vector<ArmDiff> arms;  ///< every arm, in the order of the later campaign

  std::string full_id() const { return id + "@" + engine; }
};

struct ProtectionDiff {
  std::string name;
  std::optional<bool> before, after;  ///< proven; nullopt: not in that campaign
  Direction direction = Direction::Same;
};

/// A number of an arm that both campaigns have.
struct NumberDiff {
  std::string check;  ///< full id
  std::string arm;
  std::string what;  ///< "time", "memory peak", "CPU time"
  std::string unit;  ///< "us" or "bytes"
  std::uint64_t before = 0, after = 0;
  /// after / before - 1. `before` is never 0.
  double relative() const { return static_cast<double>(after) / static_cast<double>(before) - 1; }
};

/// Numbers of two runs always differ. A change is worth a look when its size is beyond
/// Q3 + 3·IQR of the sizes of all changes of its kind in these two campaigns.
struct NumberFence {
  std::string what;
  std::size_t compared = 0;
  /// Relative size of change; nullopt with fewer than kFewest numbers: then nothing is said.
  std::optional<double> fence;
  std::vector<NumberDiff> beyond;  ///< largest change first
  static constexpr std::size_t kFewest = 8;
};

struct Totals {
  std::size_t added = 0, deleted = 0, changed = 0, unchanged = 0;
};

struct Diff {
  std::vector<FactDiff> environment;  ///< that differ
  std::vector<FactDiff> tools;
  std::vector<CheckDiff> checks;  ///< every one, worse first, unchanged last
  Totals arms;
  std::vector<ProtectionDiff> protections;  ///< that differ, worse first
  std::vector<NumberFence> numbers;
  bool became_incomplete = false;
  std::size_t worse = 0, better = 0;  ///< checks, protections and completeness together
};

Diff diff_campaigns(const Campaign& before, const Campaign& after);

}  // namespace pybox::reports
