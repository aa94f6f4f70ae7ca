#include "base/clock.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;

namespace pybox {

TEST_CASE("times are written as RFC 3339 in UTC with milliseconds") {
  CHECK(rfc3339(0ns) == "1970-01-01T00:00:00.000Z");
  CHECK(rfc3339(1'795'955'696'789'999'999ns) == "2026-11-29T12:34:56.789Z");
  CHECK(rfc3339(951'782'400s) == "2000-02-29T00:00:00.000Z");
  CHECK(rfc3339(-1ms) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("the monotonic clock does not go back") {
  const Nanos before = monotonic_now();
  CHECK(monotonic_now() >= before);
}

}  // namespace pybox
