#pragma once
/// campaign-plant as the first process of a world's VM.
///
/// Theory of operation. The kernel starts it instead of boxd (rdinit=/first); the initramfs holds
/// the untouched boxd as /init and the canary as /note. A child with a mount namespace of its own
/// plants and serves; the first process opens the descriptor, sets the variable and becomes /init,
/// which finds the machine as the kernel left it. Files can be planted only when boxd has moved to
/// its real root, so the child waits for that, and then says on the console what is where, and from
/// then on what is touched: lines that begin with "pybox-world CANARY".

namespace pybox::campaign {

/// Returns only when something is missing: the exit code.
int plant_in_guest();

}  // namespace pybox::campaign
