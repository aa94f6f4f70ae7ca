#include "base/clock.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace pybox {
namespace {

Nanos read(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return std::chrono::seconds(ts.tv_sec) + Nanos(ts.tv_nsec);
}

}  // namespace

Nanos monotonic_now() { return read(CLOCK_MONOTONIC); }
Nanos wall_now() { return read(CLOCK_REALTIME); }

std::string rfc3339(Nanos since_epoch) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::time_t t = whole.count();
  std::tm utc{};
  gmtime_r(&t, &utc);
  std::array<char, 40> text{};
  const std::size_t n = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  const long ms = static_cast<long>(std::chrono::floor<Millis>(since_epoch - whole).count());
  std::array<char, 32> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03ldZ", ms);
  return std::string(text.data(), n) + fraction.data();
}

}  // namespace pybox
