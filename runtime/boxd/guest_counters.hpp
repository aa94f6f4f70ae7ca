#pragma once
/// What the guest holds now, counted by boxd itself: a leak shows as growth from run to run.

#include "link/control.hpp"

namespace pybox::boxd {

/// Processes, cgroups and mounts of the guest, descriptors and resident memory of this boxd. What
/// cannot be read counts as 0.
link::GuestCounters count_guest();

/// "VmRSS:      1234 kB" in /proc/PID/status (man 5 proc), in KiB; 0 when it is not there.
std::uint64_t resident_kib(std::string_view status);

}  // namespace pybox::boxd
