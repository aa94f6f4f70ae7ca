#include "campaign/world/plant_guest.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "campaign/world/planted.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::campaign {
namespace {

constexpr const char* kRootOfInit = "/proc/1/root";
/// boxd makes it in its real root, which is the root of PID 1 from its chroot on.
constexpr const char* kSignOfRoot = "/proc/1/root/images";
constexpr const char* kFolder = "/outside";
constexpr int kLookMillis = 10;
constexpr std::size_t kPage = 4096;

void say(const sys::Fd& console, const std::string& canary, const std::string& text) {
  // Whatever the firmware or the kernel left in the line before ends here.
  const std::string line = "\npybox-world " + canary + " " + text + "\n";
  (void)sys::write_all(console.get(), line).has_value();
}

Result<sys::Fd> own_view() {
  if (::unshare(CLONE_NEWNS) != 0) return Error::from_errno(errno, "making a mount namespace");
  for (const char* type : {"proc", "devtmpfs"}) {
    const char* place = *type == 'p' ? "/proc" : "/dev";
    ::mkdir(place, 0755);
    if (::mount(type, place, type, 0, nullptr) != 0) return Error::from_errno(errno, place);
  }
  return sys::open_path("/dev/console", O_WRONLY | O_NOCTTY);
}

/// Into the mount namespace and the root of PID 1.
Result<void> join_init() {
  const sys::Fd root = PYBOX_TRY(sys::open_path(kRootOfInit, O_PATH | O_DIRECTORY));
  const sys::Fd mounts = PYBOX_TRY(sys::open_path("/proc/1/ns/mnt", O_RDONLY));
  if (::setns(mounts.get(), CLONE_NEWNS) != 0 || ::fchdir(root.get()) != 0 || ::chroot(".") != 0)
    return Error::from_errno(errno, "joining the first process");
  return {};
}

/// The block device of the disk that the VM has for us; empty when there is none.
std::string find_disk() {
  std::error_code error;
  for (const std::filesystem::path& disk : sys::entries_of("/sys/block", error)) {
    const auto serial = sys::read_file(disk / "serial");
    if (serial && serial->starts_with("first")) return "/dev/" + disk.filename().string();
  }
  return "";
}

/// Gives the guest swap, which a box without cg.swap may then use (kernel: include/linux/swap.h,
/// union swap_header; what mkswap writes).
Result<void> swap_on() {
  const std::string device = find_disk();
  if (device.empty()) return {};
  const sys::Fd fd = PYBOX_TRY(sys::open_path(device, O_RDWR));
  const ::off_t size = ::lseek(fd.get(), 0, SEEK_END);
  std::string page(kPage, '\0');
  const std::uint32_t version = 1;
  const auto last = static_cast<std::uint32_t>(static_cast<std::size_t>(size) / kPage - 1);
  std::memcpy(page.data() + 1024, &version, sizeof version);
  std::memcpy(page.data() + 1028, &last, sizeof last);
  std::memcpy(page.data() + kPage - 10, "SWAPSPACE2", 10);
  if (::pwrite(fd.get(), page.data(), page.size(), 0) != static_cast<ssize_t>(page.size()) ||
      ::fsync(fd.get()) != 0 || ::swapon(device.c_str(), 0) != 0) {
    return Error::from_errno(errno, "turning swap on");
  }
  return {};
}

Result<void> plant_in_guest(Planted& planted) {
  raise_loopback();
  planted.hostname();
  planted.kernel_objects();
  PYBOX_TRY(planted.process("/first"));
  while (::access(kSignOfRoot, F_OK) != 0) ::poll(nullptr, 0, kLookMillis);
  PYBOX_TRY(join_init());
  PYBOX_TRY(swap_on());
  if (::mkdir(kFolder, 0755) != 0 ||
      ::mount("tmpfs", kFolder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") != 0) {
    return Error::from_errno(errno, "making the folder");
  }
  PYBOX_TRY(planted.files());
  PYBOX_TRY(planted.servers());
  planted.come_and_go();
  planted.watch_roots();
  return {};
}

[[noreturn]] void plant_and_serve(const std::string& canary) {
  const Result<sys::Fd> console = own_view();
  if (!console) ::_exit(1);
  ::umask(0);
  Planted planted(canary, kFolder, kFolder);
  planted.started_in("/");
  const Result<void> done = plant_in_guest(planted);
  if (!done) {
    say(*console, canary, "failed " + done.error().message());
    ::_exit(1);
  }
  say(*console, canary, "planted " + planted.ask().json());
  planted.serve(-1, [&](const std::string& kind, unsigned count) {
    say(*console, canary, "noticed " + kind + " " + std::to_string(count));
  });
  ::_exit(0);
}

bool leak_descriptor(const std::string& canary) {
  const std::string path = std::string("/") + kLeakedFile;
  if (!sys::replace_file(path, canary + ":fd", 0400, sys::Durability::Unsynced)) return false;
  const int fd = ::open(path.c_str(), O_RDONLY);
  return fd >= 0 && (fd == kLeakedFd || ::dup2(fd, kLeakedFd) == kLeakedFd);
}

}  // namespace

int plant_in_guest() {
  const Result<std::string> canary = sys::read_file("/note");
  const std::string host = canary ? *canary + ":hostname" : "";
  if (!canary || ::unlink("/note") != 0 || ::sethostname(host.data(), host.size()) != 0) return 1;
  const pid_t child = ::fork();
  if (child < 0) return 1;
  if (child == 0) plant_and_serve(*canary);
  const gid_t group = kGroup;
  if (!leak_descriptor(*canary) || ::setgroups(1, &group) != 0) return 1;
  const std::string variable = std::string(kOutsideVariable) + "=" + *canary + ":env";
  char* const words[] = {const_cast<char*>("/init"), nullptr};
  char* const environment[] = {const_cast<char*>(variable.c_str()), nullptr};
  ::execve("/init", words, environment);
  return 1;
}

}  // namespace pybox::campaign
