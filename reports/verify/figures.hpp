#pragma once
/// The figures of a bench, computed a second time by a reader that shares no code with whoever
/// wrote them. docs/benchmarks.md defines each. Pure.

#include <cstdint>
#include <optional>
#include <vector>

namespace pybox::reports::verify {

/// Values of one column, in any order; every question answers for all of them.
class Column {
 public:
  explicit Column(std::vector<std::int64_t> values);

  /// The smallest value that `percent` of all do not exceed.
  std::int64_t percentile(unsigned percent) const;
  /// The same, but nothing when no value lies above it by rank.
  std::optional<std::int64_t> high_percentile(unsigned percent) const;
  /// Two values that hold the true median with 95 %; nothing for too few.
  struct Between {
    std::int64_t low, high;
  };
  std::optional<Between> median_interval() const;

 private:
  std::vector<std::int64_t> sorted_;
};

}  // namespace pybox::reports::verify
