#pragma once
/// What boxd does as the first process of the PyBox VM, before it serves.
///
/// Theory of operation: the kernel starts boxd from the initramfs as PID 1. init() mounts what
/// every process needs, loads the drivers, mounts the image disks, opens the link and forks. PID 1
/// stays behind and only reaps orphans; the child returns from init() and is the boxd that serves.
/// So boxd owns and reaps nobody but its own children, in the guest as on a host. When boxd ends,
/// PID 1 powers the VM off, which the host sees at once.
///
/// Needs in the initramfs (written by vm/initramfs.cpp): /init (boxd), /modules.list (file names
/// below /modules, in load order), /images.list (lines "SERIAL IMAGE_ID" of the disks to mount).

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"

namespace pybox::guest {

struct GuestLink {
  sys::Fd link;  ///< the virtio-serial port: blocking, close-on-exec; read() gives 0 with no host
  /// Image id ("sha256:…") to the folder where its read-only root is mounted.
  std::map<std::string, std::filesystem::path> images;
};

/// Makes a bare kernel into the guest: proc, sys, devtmpfs, tmpfs on /run and /tmp, cgroup2 on
/// /sys/fs/cgroup (favordynmods, cpu memory pids delegated), modules, image disks, sysctls.
/// Precondition: getpid() == 1. Returns in a child of PID 1 (see above), whose session is its own
/// and whose stderr is the console.
Result<GuestLink> init();

/// Serves a Hello: a guest that was saved and resumed has the random state, the clock and the
/// secrets of every other resume of that file. Credits `entropy` and reseeds the kernel's generator
/// (man 4 random: RNDADDENTROPY, then RNDRESEEDCRNG), and sets CLOCK_REALTIME. Must succeed before
/// the first box exists.
Result<void> renew(std::string_view entropy, Nanos wall_clock);

/// Serves an AttachImage: waits for the block device with that serial and mounts it read-only.
/// `image_id` must be "sha256:" and 64 hex digits. Mounting an image again returns its folder.
Result<std::filesystem::path> mount_image(const std::string& serial, const std::string& image_id);

/// Syncs and powers the VM off. Does not return in a VM.
[[noreturn]] void power_off();

}  // namespace pybox::guest
