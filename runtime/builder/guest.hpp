#pragma once
/// The first process of the builder VM: pybox itself, started by the kernel as kBuilderInit.
///
/// Theory of operation: PID 1 loads the drivers, mounts the image disk as root and a tmpfs on its
/// /tmp, sets up the network (QEMU's user-mode addresses are fixed), and forks. The child moves
/// into the root, gives up every right (drop_everything) and executes the job's program. PID 1
/// waits for it, writes the disks out and powers off. Nothing of the guest is kept.

#include <string_view>

#include "base/units.hpp"

namespace pybox::builder {

constexpr std::string_view kBuilderInit = "/builder-init";

/// The VM's memory. Its /tmp, where packages are downloaded and unpacked, may take three quarters.
constexpr Bytes kBuilderMemory = 2048_MiB;

/// True for the process that main() must hand to run_builder_guest().
bool is_builder_guest(const char* program_name);
[[noreturn]] void run_builder_guest();

}  // namespace pybox::builder
