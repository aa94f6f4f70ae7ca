#pragma once
/// The QEMU command line, as a pure function of a plan.
///
/// What the machine has, and nothing else: a serial console, one virtio-serial port (the link), the
/// base image as a read-only virtio-blk disk, and an empty virtio-scsi controller for images that
/// are plugged in later. No network device, no shared folder, no vsock, no user configuration;
/// QEMU's own seccomp filter is on and denies it to start programs.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "vm/config.hpp"

namespace pybox::vm {

/// Descriptors as QEMU sees them; vm/qemu_process.cpp puts them there.
constexpr int kConsoleFd = 3;
constexpr int kQmpFd = 4;
constexpr int kLinkFd = 5;

/// The kind of processor the programs are built for.
enum class Arch { X86, Arm64 };
#if defined(__aarch64__)
constexpr Arch kHostArch = Arch::Arm64;
#else
constexpr Arch kHostArch = Arch::X86;
#endif

/// The program's name on this host: "qemu-system-x86_64".
std::string qemu_program();
/// Its path. Error kind HostCannot: it is not installed; the hint says how.
Result<std::filesystem::path> find_qemu();

struct QemuPlan {
  Arch arch = kHostArch;
  Accelerator accelerator = Accelerator::Tcg;
  Bytes memory;
  std::uint32_t cpus = 1;
  std::filesystem::path vmlinuz;
  std::filesystem::path initramfs;
  std::filesystem::path base_image;
  std::string base_serial;
  std::filesystem::path first_disk;  ///< of FirstProcess; empty: none
  std::string kernel_words;          ///< after those of every guest; empty, or begins with a space
};

/// A path as part of an option: a comma would end it (QEMU doubles it).
std::string option_path(const std::filesystem::path& path);

/// The machine without any device but what its processor needs, its kernel, console, QMP and QEMU's
/// own sandbox: what every VM of PyBox begins with.
std::vector<std::string> machine_arguments(const QemuPlan& plan);

/// Without argv[0]. A machine that resumes gets the same words and "-incoming defer" after them.
std::vector<std::string> qemu_arguments(const QemuPlan& plan);

}  // namespace pybox::vm
