#include "campaign/bench/statistics.hpp"

#include <algorithm>

namespace pybox::campaign {
namespace {

/// Half of what may lie outside the interval.
constexpr long double kTail = 0.025L;

}  // namespace

std::int64_t nearest_rank(std::span<const std::int64_t> sorted, unsigned percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

bool is_supported(std::size_t values, unsigned percent) { return values * (100 - percent) >= 100; }

std::optional<std::size_t> median_interval_rank(std::size_t values) {
  // P(X = i) of binomial(n, 1/2), from i = 0 on. 2^-n is a long double for every n we allow.
  long double probability = 1;
  for (std::size_t i = 0; i < values; ++i) probability /= 2;
  long double below = probability;
  std::size_t rank = 0;
  while (rank < values && below <= kTail) {
    ++rank;
    probability *= static_cast<long double>(values - rank + 1) / static_cast<long double>(rank);
    below += probability;
  }
  if (rank == 0) return std::nullopt;
  return rank;
}

Spread spread_of(std::vector<std::int64_t> nanos) {
  std::sort(nanos.begin(), nanos.end());
  const auto percentile = [&](unsigned percent) -> std::optional<Nanos> {
    if (!is_supported(nanos.size(), percent)) return std::nullopt;
    return Nanos(nearest_rank(nanos, percent));
  };
  return {.p50 = Nanos(nearest_rank(nanos, 50)), .p95 = percentile(95), .p99 = percentile(99)};
}

Middle middle_of(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  Middle middle;
  middle.p50 = nearest_rank(values, 50);
  if (const auto rank = median_interval_rank(values.size())) {
    middle.low = values[*rank - 1];
    middle.high = values[values.size() - *rank];
  }
  return middle;
}

std::int64_t thousandths(std::int64_t a, std::int64_t b) { return a * 1000 / b; }

}  // namespace pybox::campaign
