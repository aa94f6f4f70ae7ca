#pragma once
/// Monotonic and wall time. All durations in receipts come from CLOCK_MONOTONIC of the side that
/// measured them (man 2 clock_gettime); a wall-clock jump must not change them.

#include <ctime>
#include <string>

#include "base/units.hpp"

namespace pybox {

Nanos monotonic_now();
/// Nanoseconds since the epoch, CLOCK_REALTIME.
Nanos wall_now();
/// For the calls that wait (ppoll, timerfd_settime); a time that has passed becomes zero.
timespec to_timespec(Nanos time);
/// RFC 3339 in UTC with milliseconds: "2026-11-29T12:34:56.789Z".
std::string rfc3339(Nanos since_epoch);

}  // namespace pybox
