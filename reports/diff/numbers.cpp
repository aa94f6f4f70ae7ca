#include "reports/diff/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace pybox::reports {
namespace {

using Reading = std::optional<std::uint64_t> (*)(const Attempt&);

std::optional<std::uint64_t> time_of(const Attempt& attempt) { return attempt.duration_us; }

std::optional<std::uint64_t> memory_of(const Attempt& attempt) {
  std::optional<std::uint64_t> peak;
  for (const Sample& sample : attempt.series) {
    if (sample.memory_bytes) peak = std::max(peak.value_or(0), *sample.memory_bytes);
  }
  return peak;
}

std::optional<std::uint64_t> cpu_of(const Attempt& attempt) {
  std::optional<std::uint64_t> used;
  for (const Sample& sample : attempt.series) {
    if (sample.cpu_us) used = std::max(used.value_or(0), *sample.cpu_us);
  }
  return used;
}

struct Kind {
  const char* what;
  const char* unit;
  Reading read;
};
constexpr Kind kKinds[] = {
    {"time", "us", time_of}, {"memory peak", "bytes", memory_of}, {"CPU time", "us", cpu_of}};

/// The attempt that decided is the last one.
std::optional<std::uint64_t> number_of(const Arm* arm, Reading read) {
  if (!arm || arm->attempts.empty()) return std::nullopt;
  return read(arm->attempts.back());
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

std::vector<NumberDiff> compared(const Campaign& before, const Campaign& after, const Kind& kind) {
  std::map<std::string, const Check*> old_checks;
  for (const Check& check : before.checks) old_checks[check.full_id()] = &check;
  std::vector<NumberDiff> diffs;
  for (const Check& check : after.checks) {
    const auto was = old_checks.find(check.full_id());
    if (was == old_checks.end()) continue;
    for (const Arm& arm : check.arms) {
      const auto then = number_of(was->second->arm(arm.name), kind.read);
      const auto now = number_of(&arm, kind.read);
      if (!then || !now || *then == 0) continue;
      diffs.push_back({check.full_id(), arm.name, kind.what, kind.unit, *then, *now});
    }
  }
  return diffs;
}

}  // namespace

double outer_fence(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double low = quantile(values, 0.25);
  const double high = quantile(values, 0.75);
  return high + 3 * (high - low);
}

std::vector<NumberFence> numbers_between(const Campaign& before, const Campaign& after) {
  std::vector<NumberFence> fences;
  for (const Kind& kind : kKinds) {
    std::vector<NumberDiff> diffs = compared(before, after, kind);
    if (diffs.empty()) continue;
    NumberFence fence;
    fence.what = kind.what;
    fence.compared = diffs.size();
    if (diffs.size() >= NumberFence::kFewest) {
      std::vector<double> sizes;
      for (const NumberDiff& diff : diffs) sizes.push_back(std::abs(diff.relative()));
      fence.fence = outer_fence(std::move(sizes));
      std::copy_if(
          diffs.begin(), diffs.end(), std::back_inserter(fence.beyond),
          [&](const NumberDiff& diff) { return std::abs(diff.relative()) > *fence.fence; });
      std::stable_sort(fence.beyond.begin(), fence.beyond.end(),
                       [](const NumberDiff& a, const NumberDiff& b) {
                         return std::abs(a.relative()) > std::abs(b.relative());
                       });
    }
    fences.push_back(std::move(fence));
  }
  return fences;
}

}  // namespace pybox::reports
