#pragma once
/// Figures of measured values. Pure; whole numbers only, so that anybody gets the same ones.
///
/// A percentile is the nearest rank: the smallest value with at least that share of all values at
/// or below it. The interval of a median are two of the values, found by rank: for n independent
/// values the number of those below the true median is binomial(n, 1/2), whatever their
/// distribution, so with k the largest rank for which P(X < k) <= 2.5 %, the k-th smallest and the
/// k-th largest value hold the true median between them with at least 95 %.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "campaign/model/bench.hpp"

namespace pybox::campaign {

/// `sorted` ascending, not empty; `percent` 1 to 100.
std::int64_t nearest_rank(std::span<const std::int64_t> sorted, unsigned percent);

/// Whether a percentile of so many values is more than their maximum: at least one lies above it.
bool is_supported(std::size_t values, unsigned percent);

/// k of the interval above, from 1; nothing for fewer than 6 values. At most 16000 values.
std::optional<std::size_t> median_interval_rank(std::size_t values);

/// Each of these sorts for itself. Precondition: not empty.
Spread spread_of(std::vector<std::int64_t> nanos);
Middle middle_of(std::vector<std::int64_t> values);

/// a / b in thousandths, rounded down. Precondition: both positive.
std::int64_t thousandths(std::int64_t a, std::int64_t b);

}  // namespace pybox::campaign
