#pragma once
/// Units live in types, never in names. Time is std::chrono only.

#include <chrono>
#include <compare>
#include <cstdint>

namespace pybox {

struct Bytes {
  std::uint64_t count = 0;
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
};

constexpr Bytes operator""_B(unsigned long long n) { return Bytes{n}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes{n << 10U}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes{n << 20U}; }

/// A share of CPU time; 1000 is one core.
struct MilliCores {
  std::uint32_t count = 0;
  friend constexpr auto operator<=>(MilliCores, MilliCores) = default;
};

using Nanos = std::chrono::nanoseconds;
using Millis = std::chrono::milliseconds;

constexpr double seconds(Nanos time) { return std::chrono::duration<double>(time).count(); }
constexpr double millis(Nanos time) {
  return std::chrono::duration<double, std::milli>(time).count();
}
/// Rounds to the nanosecond. Precondition: `s` is finite and below 9e9.
constexpr Nanos from_seconds(double s) {
  return std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(s));
}

}  // namespace pybox
