#pragma once
/// What an emulated guest is told about its clock, so that it need not measure it.
///
/// Under TCG a guest's time-stamp counter is the host's. A guest measures its rate against another
/// clock while it boots; on a busy host QEMU may stand still in the middle of that, and the guest
/// then runs with a clock several times too fast or too slow, in every later resume too. The host
/// knows the rate better: it reads both clocks at once.

#include <cstdint>
#include <optional>
#include <string>

#include "vm/config.hpp"

namespace pybox::vm {

/// Ticks of this host's time-stamp counter in a millisecond, measured over a few milliseconds to
/// better than one in a thousand; nullopt on a processor without one, or where it does not run
/// evenly.
std::optional<std::uint32_t> host_tsc_khz();

/// Words for the guest's kernel, beginning with a space (`tsc_early_khz=`, in the kernel's
/// Documentation/admin-guide/kernel-parameters.txt); empty where it has a better source (KVM).
/// They differ a little from call to call: no part of what a saved state is known by.
std::string clock_words(Accelerator accelerator);

}  // namespace pybox::vm
