#include "campaign/bench/statistics.hpp"

#include <catch2/catch_test_macros.hpp>
#include <numeric>

namespace pybox::campaign {
namespace {

std::vector<std::int64_t> one_to(std::int64_t last) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST_CASE("a percentile is the nearest rank, a value that was measured") {
  const std::vector<std::int64_t> five = {15, 20, 35, 40, 50};
  CHECK(nearest_rank(five, 5) == 15);
  CHECK(nearest_rank(five, 30) == 20);
  CHECK(nearest_rank(five, 40) == 20);
  CHECK(nearest_rank(five, 50) == 35);
  CHECK(nearest_rank(five, 100) == 50);
  CHECK(nearest_rank(one_to(100), 95) == 95);
  CHECK(nearest_rank(one_to(100), 99) == 99);
  CHECK(nearest_rank(one_to(200), 99) == 198);
  CHECK(nearest_rank(one_to(4), 50) == 2);
  CHECK(nearest_rank(std::vector<std::int64_t>{7}, 1) == 7);
}

TEST_CASE("a percentile that would only be the maximum is not supported") {
  CHECK_FALSE(is_supported(19, 95));
  CHECK(is_supported(20, 95));
  CHECK_FALSE(is_supported(99, 99));
  CHECK(is_supported(100, 99));
  CHECK(is_supported(2, 50));
}

// The ranks of the tables of the sign test at 5 %, two-sided (binomial with p = 1/2).
TEST_CASE("the interval of a median has the ranks of the sign test") {
  CHECK_FALSE(median_interval_rank(1).has_value());
  CHECK_FALSE(median_interval_rank(5).has_value());  // 2 * 1/32 is more than 5 %
  CHECK(median_interval_rank(6) == 1);               // 2 * 1/64
  CHECK(median_interval_rank(8) == 1);               // 2 * 9/256 is more
  CHECK(median_interval_rank(9) == 2);               // 2 * 10/512
  CHECK(median_interval_rank(10) == 2);
  CHECK(median_interval_rank(20) == 6);
  CHECK(median_interval_rank(25) == 8);
  CHECK(median_interval_rank(50) == 18);
  CHECK(median_interval_rank(100) == 40);
  CHECK(median_interval_rank(1000) == 469);
  CHECK(median_interval_rank(10000) == 4902);
}

TEST_CASE("a spread of few runs has no high percentile") {
  const Spread few = spread_of({30, 10, 20});
  CHECK(few.p50 == Nanos(20));
  CHECK_FALSE(few.p95.has_value());
  CHECK_FALSE(few.p99.has_value());
  const Spread many = spread_of(one_to(100));
  CHECK(many.p50 == Nanos(50));
  CHECK(many.p95 == Nanos(95));
  CHECK(many.p99 == Nanos(99));
}

TEST_CASE("what was added is told by median and interval; it may be negative") {
  const Middle added = middle_of({-5, 1, 2, 3, 4, 5, 6, 7, 8, 90});
  CHECK(added.p50 == 4);
  CHECK(added.low == 1);  // the second smallest, and the second largest
  CHECK(added.high == 8);
  const Middle two = middle_of({-3, -9});
  CHECK(two.p50 == -9);
  CHECK_FALSE(two.low.has_value());
}

TEST_CASE("ratios are in thousandths, rounded down") {
  CHECK(thousandths(3, 2) == 1500);
  CHECK(thousandths(2, 3) == 666);
  const auto middle = middle_of({1000, 1100, 1200, 1300, 1400, 5000});
  CHECK(middle.p50 == 1200);
  CHECK(middle.low == 1000);
  CHECK(middle.high == 5000);
}

}  // namespace
}  // namespace pybox::campaign
