#pragma once
/// What a VM is made of, gathered by cli from settings, kernel and images before anything starts.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::vm {

enum class Accelerator { Kvm, Tcg };
constexpr std::string_view name_of(Accelerator accelerator) {
  return accelerator == Accelerator::Kvm ? "kvm" : "tcg";
}

/// What a failed start says about its accelerator.
enum class Blame {
  Nobody,
  Kvm,      ///< QEMU or the kernel said that KVM cannot go on
  Silence,  ///< nothing came for longer than a guest under KVM needs; on a busy host no proof
};

/// What the user asked for: Auto takes KVM where it works and TCG, with a notice, elsewhere.
enum class AcceleratorChoice { Auto, Kvm, Tcg };

/// A read-only erofs image that the guest mounts.
struct Disk {
  std::string image_id;  ///< "sha256:…"
  std::filesystem::path file;
  sys::Fd
      hold;  ///< keeps the image's files from being removed while the VM uses them; may be closed
};

/// The serial number by which the guest finds a disk: the first 20 hex digits of the image id
/// (virtio-blk keeps 20 bytes: virtio 1.2, 5.2.6.1).
std::string serial_of(std::string_view image_id);

/// A program that the kernel starts before boxd and that then becomes it (executes /init). The
/// campaign plants things around an untouched boxd with it.
struct FirstProcess {
  std::filesystem::path program;
  std::string note;            ///< what it finds in /note
  std::filesystem::path disk;  ///< a file of its own to write to, seen as the disk "first"
};

struct Config {
  sys::StateDirs dirs;
  std::filesystem::path qemu;  ///< absolute
  std::filesystem::path boxd;  ///< becomes the guest's init
  std::string kernel_id;       ///< digest of kernel and modules
  std::filesystem::path vmlinuz;
  std::vector<std::filesystem::path> modules;  ///< in load order
  Disk base;                                   ///< mounted before the state is saved
  Bytes memory = 1024_MiB;
  std::uint32_t cpus = 2;
  AcceleratorChoice accelerator = AcceleratorChoice::Auto;
  std::optional<FirstProcess> first;  ///< none in the user's own VM
  /// Finds an image that was built after the VM started, to be plugged in. May be empty.
  std::function<Result<Disk>(std::string_view image_id)> find_disk;
};

}  // namespace pybox::vm
