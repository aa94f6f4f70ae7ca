#include "boxd/guest_init.hpp"

#include <fcntl.h>
#include <linux/random.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "boxd/guest_disks.hpp"
#include "boxd/prefault.hpp"
#include "boxd/seal_policy.hpp"
#include "link/frame.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::guest {
namespace {

namespace fs = std::filesystem;

/// The initramfs lives in the kernel's rootfs, from which pivot_root(2) is refused (its mount has
/// no parent). The guest's real root is therefore a small tmpfs moved over it.
constexpr const char* kNewRoot = "/newroot";

/// The base image's share of the page cache; it stays in every saved state.
constexpr Bytes kPrefault = 64_MiB;

struct MountPoint {
  const char* type;
  const char* path;  ///< below kNewRoot
  unsigned long flags;
  const char* options;
};

// In this order: a parent stands before its children.
constexpr std::array kMounts = {
    MountPoint{"tmpfs", "", MS_NOSUID | MS_NODEV, "mode=0755,size=16m"},
    MountPoint{"proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, ""},
    MountPoint{"sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, ""},
    // favordynmods: without it each move of a process between cgroups waits for an RCU grace period
    // of 8 to 25 ms (kernel: Documentation/admin-guide/cgroup-v2.rst).
    MountPoint{"cgroup2", "/sys/fs/cgroup", MS_NOSUID | MS_NODEV | MS_NOEXEC, "favordynmods"},
    MountPoint{"devtmpfs", "/dev", MS_NOSUID | MS_NOEXEC, "mode=0755"},
    MountPoint{"tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755"},
    MountPoint{"tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "mode=1777"},
};

struct Sysctl {
  const char* path;
  const char* value;
};

constexpr std::array kSysctls = {
    // A folder that exists in no box, so that no core is ever written and no helper is ever run.
    Sysctl{"/proc/sys/kernel/core_pattern", "/nowhere/core"},
    // A guest kernel that broke must not go on serving: it reboots, and QEMU then ends
    // (-no-reboot).
    Sysctl{"/proc/sys/kernel/panic", "-1"},
    Sysctl{"/proc/sys/kernel/panic_on_oops", "1"},
    Sysctl{"/proc/sys/kernel/kptr_restrict", "2"},
    Sysctl{"/proc/sys/kernel/dmesg_restrict", "1"},
    Sysctl{"/proc/sys/kernel/unprivileged_bpf_disabled", "1"},
    Sysctl{"/proc/sys/kernel/kexec_load_disabled", "1"},
    // Programs reserve address space that they never touch; a box's own limit decides, and the
    // guess by the size of a small guest would refuse it.
    Sysctl{"/proc/sys/vm/overcommit_memory", "1"},
    // Every driver the guest will ever need is loaded by now, disks plugged in later included.
    Sysctl{"/proc/sys/kernel/modules_disabled", "1"},
};

/// Until /dev/console is open the kernel gave PID 1 no descriptors at all, and the first files
/// opened would become its stdout.
Result<void> open_console() {
  ::mkdir("/dev", 0755);
  if (::mount("devtmpfs", "/dev", "devtmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755") != 0) {
    return Error::from_errno(errno, "mounting devtmpfs");
  }
  const int console = ::open("/dev/console", O_RDWR | O_NOCTTY);
  if (console < 0) return Error::from_errno(errno, "opening the console");
  for (int fd = 0; fd <= 2; ++fd) {
    if (fd != console) ::dup2(console, fd);
  }
  if (console > 2) ::close(console);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return Error::from_errno(errno, "opening /dev/null");
  ::dup2(null, 0);
  ::close(null);
  return {};
}

Result<void> mount_all() {
  for (const MountPoint& point : kMounts) {
    const std::string path = std::string(kNewRoot) + point.path;
    ::mkdir(path.c_str(), 0755);
    if (::mount(point.type, path.c_str(), point.type, point.flags, point.options) != 0) {
      return Error::from_errno(errno, "mounting " + std::string(point.type) + " on " + path);
    }
  }
  ::mkdir((std::string(kNewRoot) + "/images").c_str(), 0755);
  return {};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

Result<void> load_modules() {
  const std::string list = PYBOX_TRY(sys::read_file("/modules.list"));
  for (const std::string& name : lines_of(list)) {
    const sys::Fd module = PYBOX_TRY(sys::open_path("/modules/" + name, O_RDONLY));
    if (::syscall(SYS_finit_module, module.get(), "", 0) == 0 || errno == EEXIST) continue;
    // ENODEV: a driver for a CPU feature this machine lacks; whoever needs it fails by name later.
    if (errno == ENODEV) continue;
    return Error::from_errno(errno, "loading the module " + name);
  }
  return {};
}

Result<void> switch_root() {
  if (::chdir(kNewRoot) != 0) return Error::from_errno(errno, "entering the new root");
  // The first devtmpfs would stay below the new root, reachable for nobody.
  ::umount2("/dev", MNT_DETACH);
  if (::mount(".", "/", nullptr, MS_MOVE, nullptr) != 0) {
    return Error::from_errno(errno, "moving the new root");
  }
  if (::chroot(".") != 0 || ::chdir("/") != 0) {
    return Error::from_errno(errno, "changing to the new root");
  }
  return {};
}

Result<sys::Fd> open_link() {
  std::error_code error;
  for (const fs::path& entry : sys::entries_of("/sys/class/virtio-ports", error)) {
    const auto name = sys::read_file(entry / "name");
    if (!name || *name != std::string(link::kGuestPort) + "\n") continue;
    return sys::open_path("/dev" / entry.filename(), O_RDWR);
  }
  return Error(ErrorKind::HostCannot, "the VM has no port named " + std::string(link::kGuestPort));
}

/// Splits PID 1 from the boxd that serves; see the header. Returns in the child only.
void leave_reaper_behind() {
  const pid_t boxd = ::fork();
  if (boxd == 0) {
    ::setsid();
    return;
  }
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED) != 0 && errno != EINTR) break;
    if (info.si_pid == boxd) {
      ::dprintf(2, "pybox guest: boxd ended (code %d, status %d)\n", info.si_code, info.si_status);
      break;
    }
  }
  power_off();
}

/// The kernel gives PID 1 an environment (HOME, TERM, unknown words of its command line), which
/// every process forked from here would show in /proc/PID/environ. Started anew, boxd has none.
Result<void> shed_environment() {
  if (boxd::keeps_environment() || environ == nullptr || *environ == nullptr) return {};
  std::array<char*, 2> words = {const_cast<char*>("/init"), nullptr};
  std::array<char*, 1> nothing = {nullptr};
  ::execve("/init", words.data(), nothing.data());
  return Error::from_errno(errno, "starting boxd without an environment");
}

}  // namespace

Result<GuestLink> init() {
  PYBOX_TRY(shed_environment());
  PYBOX_TRY(open_console());
  ::umask(022);
  PYBOX_TRY(load_modules());
  const std::string disks = PYBOX_TRY(sys::read_file("/images.list"));
  ::mkdir(kNewRoot, 0755);
  PYBOX_TRY(mount_all());
  PYBOX_TRY(switch_root());
  PYBOX_TRY(sys::write_pseudo_file("/sys/fs/cgroup/cgroup.subtree_control", "+cpu +memory +pids"));
  for (const Sysctl& sysctl : kSysctls) {
    PYBOX_TRY(sys::write_pseudo_file(sysctl.path, sysctl.value));
  }
  GuestLink guest;
  for (const std::string& line : lines_of(disks)) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) return Error(ErrorKind::Protocol, "images.list: " + line);
    const std::string id = line.substr(space + 1);
    const fs::path root = PYBOX_TRY(mount_image(line.substr(0, space), id));
    prefault(root, kPrefault);
    guest.images[id] = root;
  }
  guest.link = PYBOX_TRY(open_link());
  leave_reaper_behind();
  return guest;
}

Result<void> renew(std::string_view entropy, Nanos wall_clock) {
  if (entropy.size() < 32 || entropy.size() > 512) {
    return Error(ErrorKind::Protocol, "a Hello without 32 to 512 bytes of entropy");
  }
  // man 4 random: struct rand_pool_info {int entropy_count; int buf_size; __u32 buf[]; }
  const std::array<int, 2> header = {static_cast<int>(entropy.size() * 8),
                                     static_cast<int>(entropy.size())};
  std::string pool(sizeof header, '\0');
  std::memcpy(pool.data(), header.data(), sizeof header);
  pool += entropy;
  const sys::Fd random = PYBOX_TRY(sys::open_path("/dev/urandom", O_RDWR));
  if (::ioctl(random.get(), RNDADDENTROPY, pool.data()) != 0) {
    return Error::from_errno(errno, "adding entropy");
  }
  if (::ioctl(random.get(), RNDRESEEDCRNG) != 0) {
    return Error::from_errno(errno, "reseeding the random generator");
  }
  timespec now{};
  now.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(wall_clock).count();
  now.tv_nsec = (wall_clock % std::chrono::seconds(1)).count();
  if (::clock_settime(CLOCK_REALTIME, &now) != 0)
    return Error::from_errno(errno, "setting the clock");
  return {};
}

void power_off() {
  ::sync();
  ::reboot(RB_POWER_OFF);
  ::_exit(1);
}

}  // namespace pybox::guest
