#include "base/clock.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

// A build of the campaign's judges time by the clock on the wall, which a check must catch.
#ifndef PYBOX_STEADY_CLOCK
#define PYBOX_STEADY_CLOCK CLOCK_MONOTONIC
#endif

namespace pybox {
namespace {

Nanos read(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return std::chrono::seconds(ts.tv_sec) + Nanos(ts.tv_nsec);
}

}  // namespace

Nanos monotonic_now() { return read(PYBOX_STEADY_CLOCK); }
Nanos wall_now() { return read(CLOCK_REALTIME); }

timespec to_timespec(Nanos time) {
  const Nanos left = std::max(Nanos{0}, time);
  return {static_cast<time_t>(left.count() / 1'000'000'000),
          static_cast<long>(left.count() % 1'000'000'000)};
}

std::string rfc3339(Nanos since_epoch) {
  // Not gmtime(3): it reads the host's time zone file.
  const auto day = std::chrono::floor<std::chrono::days>(since_epoch);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const std::chrono::hh_mm_ss time{std::chrono::floor<Millis>(since_epoch - day)};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02ld:%02ld:%02ld.%03ldZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), time.hours().count(), time.minutes().count(),
                time.seconds().count(), time.subseconds().count());
  return text.data();
}

}  // namespace pybox
