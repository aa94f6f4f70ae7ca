#include "reports/verify/figures.hpp"

#include <algorithm>
#include <cmath>

namespace pybox::reports::verify {
namespace {

/// P(at most `successes` of `tosses` fair coins show heads), by logarithms of factorials.
double at_most(std::size_t successes, std::size_t tosses) {
  const auto n = static_cast<double>(tosses);
  double sum = 0;
  for (std::size_t i = 0; i <= successes; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                    n * std::log(2.0));
  }
  return sum;
}

}  // namespace

Column::Column(std::vector<std::int64_t> values) : sorted_(std::move(values)) {
  std::sort(sorted_.begin(), sorted_.end());
}

std::int64_t Column::percentile(unsigned percent) const {
  // The first value with enough of them at or before it.
  std::size_t at = 0;
  while ((at + 1) * 100 < sorted_.size() * percent) ++at;
  return sorted_[at];
}

std::optional<std::int64_t> Column::high_percentile(unsigned percent) const {
  const std::int64_t value = percentile(percent);
  std::size_t rank = 1;
  while (rank * 100 < sorted_.size() * percent) ++rank;
  if (rank == sorted_.size()) return std::nullopt;
  return value;
}

std::optional<Column::Between> Column::median_interval() const {
  const std::size_t n = sorted_.size();
  if (n == 0 || at_most(0, n) > 0.025) return std::nullopt;
  // Between the one rank that surely does and half of all, where the tail is too large.
  std::size_t fits = 0, too_large = n / 2;
  while (too_large - fits > 1) {
    const std::size_t middle = (fits + too_large) / 2;
    (at_most(middle, n) <= 0.025 ? fits : too_large) = middle;
  }
  return Between{sorted_[fits], sorted_[n - 1 - fits]};
}

}  // namespace pybox::reports::verify
