#include "vm/guest_clock.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::vm {

#if defined(__x86_64__)
TEST_CASE("an emulated guest is told the rate of the host's counter", "[vm]") {
  const auto first = host_tsc_khz();
  const auto second = host_tsc_khz();
  if (!first || !second) SKIP("the time-stamp counter of this host does not run evenly");
  CHECK(*first > 100'000);
  const std::uint32_t apart = *first > *second ? *first - *second : *second - *first;
  CHECK(apart <= *first / 500);
  CHECK(clock_words(Accelerator::Tcg).starts_with(" tsc_early_khz="));
}
#endif

TEST_CASE("a guest under KVM has the host's clock and is told nothing", "[vm]") {
  CHECK(clock_words(Accelerator::Kvm).empty());
}

}  // namespace pybox::vm
