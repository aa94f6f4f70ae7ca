#pragma once
/// The bare interpreter: the very python3 of an image, with its packages, its environment as in a
/// box, and nothing around it. No limit, no filter, no namespace that costs anything.
///
/// Theory of operation: the child shares our memory until it executes (clone(2) with CLONE_VM and
/// CLONE_VFORK, as posix_spawn does), so that its start costs what pybox's own start costs, and
/// enters the image with chroot(2), a matter of microseconds. An ordinary user may not, except in a
/// user namespace, which is then made with the child; it has no ids mapped, so nothing on the host
/// can be reached by it that the user could not reach anyway.

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/process.hpp"

namespace pybox::campaign {

struct BareProgram {
  std::filesystem::path rootfs;
  std::string text;  ///< handed over as `python3 -I -c TEXT`
  MilliCores cpu;    ///< of the box it stands beside: numeric libraries start that many threads
};

/// Error: kind HostCannot when the image cannot be entered or its interpreter not be executed.
Result<sys::Child> start_bare(const BareProgram& program, int out, int err);

}  // namespace pybox::campaign
