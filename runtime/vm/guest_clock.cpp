#include "vm/guest_clock.hpp"

#include <poll.h>

#include <array>

#include "base/clock.hpp"

namespace pybox::vm {
namespace {

#if defined(__x86_64__)
struct Moment {
  std::uint64_t ticks = 0;
  Nanos time{};
};

/// Both clocks at once: of several readings the one that took the least time.
Moment read_both() {
  Moment best;
  Nanos least = Nanos::max();
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = __builtin_ia32_rdtsc();
    const Nanos time = monotonic_now();
    const std::uint64_t after = __builtin_ia32_rdtsc();
    const Nanos took{static_cast<std::int64_t>(after - before)};
    if (after < before || took >= least) continue;
    least = took;
    best = {before + (after - before) / 2, time};
  }
  return best;
}

std::uint32_t measure_khz() {
  const Moment from = read_both();
  ::poll(nullptr, 0, 5);
  const Moment to = read_both();
  const double milliseconds =
      std::chrono::duration<double, std::milli>(to.time - from.time).count();
  if (to.ticks <= from.ticks || milliseconds <= 0) return 0;
  return static_cast<std::uint32_t>(static_cast<double>(to.ticks - from.ticks) / milliseconds);
}
#endif

}  // namespace

std::optional<std::uint32_t> host_tsc_khz() {
#if defined(__x86_64__)
  // Two that agree: a counter that stops or jumps does not get this far.
  constexpr std::uint32_t kSlowest = 100'000;
  const std::array<std::uint32_t, 2> seen{measure_khz(), measure_khz()};
  const std::uint32_t difference = seen[0] > seen[1] ? seen[0] - seen[1] : seen[1] - seen[0];
  if (seen[0] < kSlowest || difference > seen[0] / 1000) return std::nullopt;
  return seen[1];
#else
  return std::nullopt;
#endif
}

std::string clock_words(Accelerator accelerator) {
  if (accelerator != Accelerator::Tcg) return {};
  const std::optional<std::uint32_t> khz = host_tsc_khz();
  return khz ? " tsc_early_khz=" + std::to_string(*khz) : std::string();
}

}  // namespace pybox::vm
