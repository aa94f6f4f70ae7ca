#pragma once
/// What changed between two campaigns, the environment first: it explains most of the rest. Pure;
/// `campaign diff`, report.html and summary.md tell of the result. What an arm showed is compared
/// by its signatures, not by the check's verdict alone: a check that holds for another reason than
/// before has changed.

#include <optional>
#include <string>
#include <vector>

#include "campaign/model/evidence.hpp"

namespace pybox::reports {

using campaign::ArmResult;
using campaign::AttemptResult;
using campaign::CheckResult;
using campaign::Evidence;
using campaign::kVerdicts;
using campaign::Verdict;

enum class Change { Added, Deleted, Changed, Unchanged };
std::string_view name_of(Change change);

/// Whether evidence was lost by it. Only verdicts and proofs decide: another signature with the
/// same verdict is neither better nor worse.
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
  std::string full_id;  ///< "net.loopback@native"
  Change change = Change::Unchanged;
  Direction direction = Direction::Same;
  std::optional<Verdict> before, after;
  std::string why;            ///< of the later verdict
  std::vector<ArmDiff> arms;  ///< every arm, in the order of the later campaign
};

struct ProtectionDiff {
  std::string name;
  std::optional<bool> before, after;  ///< proven; nullopt: not in that campaign
  Direction direction = Direction::Same;
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
  bool became_incomplete = false;
  std::size_t worse = 0, better = 0;  ///< checks, protections and completeness together
};

Diff diff_campaigns(const Evidence& before, const Evidence& after);

}  // namespace pybox::reports
