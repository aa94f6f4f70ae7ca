#include "watch/sampler.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::watch {
namespace {

/// Takes every reading the moment it is due.
Sampler punctual(Nanos limit, Nanos until) {
  Sampler sampler(limit);
  while (sampler.due() && *sampler.due() <= until) sampler.take(*sampler.due(), {});
  return sampler;
}

}  // namespace

TEST_CASE("a long run has 20 readings in the first second and 64 in all") {
  const Sampler sampler = punctual(std::chrono::seconds(30), std::chrono::seconds(30));
  REQUIRE(sampler.series().size() == 64);
  CHECK(sampler.series()[0].at == Millis(50));
  CHECK(sampler.series()[19].at == std::chrono::seconds(1));
  CHECK(sampler.series()[63].at <= std::chrono::seconds(30));
  CHECK(sampler.series()[63].at > std::chrono::seconds(29));
  CHECK(sampler.lost() == 0);
}

TEST_CASE("no two readings are closer than 0.05 s, whatever the limit") {
  for (const auto limit : {Millis(400), Millis(2000), Millis(300'000)}) {
    const Sampler sampler = punctual(limit, limit);
    for (std::size_t i = 1; i < sampler.series().size(); ++i) {
      CHECK(sampler.series()[i].at - sampler.series()[i - 1].at >= kFirstGap);
    }
  }
}

TEST_CASE("readings that were missed are counted, not made up") {
  Sampler sampler(std::chrono::seconds(2));
  sampler.take(Millis(50), {});
  sampler.take(Millis(330), {});  // 0.10 was due; 0.15, 0.20, 0.25 and 0.30 passed unread
  CHECK(sampler.series().size() == 2);
  CHECK(sampler.lost() == 4);
  CHECK(sampler.due() == Millis(380));
}

}  // namespace pybox::watch
