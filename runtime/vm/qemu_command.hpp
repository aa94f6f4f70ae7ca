#pragma once
/// QEMU's command line for the run VM, as a pure function of a plan.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace pybox::vm {

enum class Accelerator { Kvm, Tcg };
std::string_view name_of(Accelerator accelerator);

struct ImageDisk {
  std::string image_id;  ///< "sha256:…"
  std::filesystem::path file;
};
/// What the guest finds the disk by; 20 characters is all virtio-blk carries (VIRTIO_BLK_ID_BYTES).
std::string serial_of(std::string_view image_id);

struct Machine {
  Accelerator accelerator = Accelerator::Tcg;
  Bytes memory = 1024_MiB;
  std::uint32_t cpus = 2;
  std::filesystem::path kernel;
  std::filesystem::path initramfs;
  std::vector<ImageDisk> disks;
};

/// Numbers of the descriptors QEMU is started with: each one end of a stream socket pair.
struct QemuFds {
  int qmp = 3;
  int link = 4;
  int console = 5;
};

enum class Start { Boot, Resume };

/// The arguments without the program. No network device, no display, no default device; QEMU's own
/// seccomp filter denies it to start programs or raise privileges. Paths may hold commas (escaped).
std::vector<std::string> qemu_arguments(const Machine& machine, const QemuFds& fds, Start start);

}  // namespace pybox::vm
