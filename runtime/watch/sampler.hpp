#pragma once
/// When to read a box's counters: every 0.05 s for the first second, then spread over the rest of
/// the limit, 64 readings in all (docs/promises.md, P17). Passive: says when, takes what
/// was read.

#include <optional>
#include <vector>

#include "base/units.hpp"
#include "receipt/report.hpp"

namespace pybox::watch {

constexpr Nanos kFirstGap = Millis(50);
constexpr std::size_t kEarlySamples = 20;  ///< 0.05 s … 1.00 s
constexpr std::size_t kLateSamples = 44;

class Sampler {
 public:
  explicit Sampler(Nanos limit) : limit_(limit) {}

  /// Time of the next reading, counted from the go; nullopt when all were taken.
  std::optional<Nanos> due() const;
  /// Records a reading made at `at`. Due times that have passed by more than a gap count as lost.
  void take(Nanos at, Sample reading);

  const std::vector<Sample>& series() const { return series_; }
  std::uint32_t lost() const { return lost_; }

 private:
  Nanos due_time(std::size_t index) const;

  Nanos limit_;
  std::size_t next_ = 0;
  std::vector<Sample> series_;
  std::uint32_t lost_ = 0;
};

}  // namespace pybox::watch
