#include "builder/guest.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "builder/box.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kBuilder = 1000;
constexpr const char* kRoot = "/root";
/// QEMU's user-mode network (qemu-doc, "User mode network stack").
constexpr const char* kAddress = "10.0.2.15";
constexpr const char* kGateway = "10.0.2.2";
constexpr const char* kMask = "255.255.255.0";

Error guest_failed(std::string_view doing) { return Error::from_errno(errno, doing); }

Result<std::vector<std::string>> lines_of(const char* file) {
  std::istringstream text(PYBOX_TRY(sys::read_file(file)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

Result<void> mount_at(const char* type, const fs::path& path, unsigned long flags,
                      const char* options, const char* source = nullptr) {
  ::mkdir(path.c_str(), 0755);
  if (::mount(source == nullptr ? type : source, path.c_str(), type, flags, options) != 0)
    return guest_failed("mounting " + path.string());
  return {};
}

/// The kernel gives its first process no descriptors.
Result<void> open_console() {
  PYBOX_TRY(mount_at("devtmpfs", "/dev", MS_NOSUID, "mode=0755"));
  const int console = ::open("/dev/console", O_RDWR | O_NOCTTY);
  if (console < 0) return guest_failed("opening the console");
  for (int fd = 0; fd <= 2; ++fd) {
    if (fd != console) ::dup2(console, fd);
  }
  if (console > 2) ::close(console);
  return {};
}

Result<void> load_modules() {
  for (const std::string& name : PYBOX_TRY(lines_of("/modules.list"))) {
    const sys::Fd module = PYBOX_TRY(sys::open_path("/modules/" + name, O_RDONLY));
    if (::syscall(SYS_finit_module, module.get(), "", 0) != 0 && errno != EEXIST &&
        errno != ENODEV) {
      return guest_failed("loading the module " + name);
    }
  }
  return {};
}

/// The number of the disk with that serial. The driver finds its disks while it is loaded.
Result<dev_t> find_disk(std::string_view serial) {
  std::error_code ignored;
  for (const fs::path& entry : sys::entries_of("/sys/block", ignored)) {
    const auto found = sys::read_file(entry / "serial");
    if (!found || found->substr(0, found->find('\n')) != serial) continue;
    const std::string number = PYBOX_TRY(sys::read_file(entry / "dev"));
    unsigned first = 0;
    unsigned second = 0;
    if (std::sscanf(number.c_str(), "%u:%u", &first, &second) == 2) return makedev(first, second);
  }
  return Error(ErrorKind::HostCannot, "the builder VM has no disk `" + std::string(serial) + "`");
}

sockaddr address_of(const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, text, &address.sin_addr);
  sockaddr plain{};
  std::memcpy(&plain, &address, sizeof plain);
  return plain;
}

Result<void> bring_up(int socket, const char* name) {
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket, SIOCSIFFLAGS, &request) != 0) return guest_failed("starting the network");
  return {};
}

Result<void> start_network() {
  const sys::Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return guest_failed("opening a socket");
  PYBOX_TRY(bring_up(socket.get(), "lo"));
  ifreq request{};
  std::strncpy(request.ifr_name, "eth0", IFNAMSIZ - 1);
  request.ifr_addr = address_of(kAddress);
  if (::ioctl(socket.get(), SIOCSIFADDR, &request) != 0) return guest_failed("setting the address");
  request.ifr_netmask = address_of(kMask);
  if (::ioctl(socket.get(), SIOCSIFNETMASK, &request) != 0) return guest_failed("setting the mask");
  PYBOX_TRY(bring_up(socket.get(), "eth0"));
  rtentry route{};
  route.rt_gateway = address_of(kGateway);
  route.rt_dst = address_of("0.0.0.0");
  route.rt_genmask = address_of("0.0.0.0");
  route.rt_flags = RTF_UP | RTF_GATEWAY;
  if (::ioctl(socket.get(), SIOCADDRT, &route) != 0) return guest_failed("setting the route");
  return {};
}

Result<void> make_device(const fs::path& path, mode_t mode, dev_t number) {
  if (::mknod(path.c_str(), mode, number) != 0 || ::chmod(path.c_str(), mode & 0777U) != 0 ||
      ::chown(path.c_str(), kBuilder, kBuilder) != 0) {
    return guest_failed("making " + path.string());
  }
  return {};
}

Result<void> make_guest_devices(const fs::path& dev) {
  PYBOX_TRY(mount_at("tmpfs", dev, MS_NOSUID | MS_NOEXEC, "mode=0755,size=64k"));
  const std::array<std::pair<const char*, unsigned>, 4> memory = {
      {{"null", 3}, {"zero", 5}, {"random", 8}, {"urandom", 9}}};
  for (const auto& [name, minor] : memory)
    PYBOX_TRY(make_device(dev / name, S_IFCHR | 0666, makedev(1, minor)));
  const dev_t result = PYBOX_TRY(find_disk("result"));
  return make_device(dev / "result", S_IFBLK | 0600, result);
}

Result<void> place_job(const fs::path& scratch) {
  ::mkdir((scratch / "in").c_str(), 0755);
  std::error_code code;
  for (const fs::path& entry : sys::entries_of("/job", code)) {
    const std::string content = PYBOX_TRY(sys::read_file(entry, 256_MiB));
    PYBOX_TRY(sys::replace_file(scratch / "in" / entry.filename(), content, 0444,
                                sys::Durability::Unsynced));
  }
  if (code) return Error::from_errno(code.value(), "reading the job");
  return {};
}

Result<void> make_root() {
  PYBOX_TRY(mount_at("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, ""));
  PYBOX_TRY(mount_at("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, ""));
  PYBOX_TRY(load_modules());
  const dev_t image = PYBOX_TRY(find_disk("image"));
  if (::mknod("/dev/image", S_IFBLK | 0600, image) != 0) return guest_failed("making /dev/image");
  const fs::path root = kRoot;
  PYBOX_TRY(mount_at("erofs", root, MS_RDONLY | MS_NOSUID | MS_NODEV, "", "/dev/image"));
  PYBOX_TRY(mount_at("tmpfs", root / "tmp", MS_NOSUID | MS_NODEV,
                     "mode=0755,size=75%,uid=1000,gid=1000"));
  PYBOX_TRY(place_job(root / "tmp"));
  PYBOX_TRY(mount_at("proc", root / "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "subset=pid"));
  PYBOX_TRY(make_guest_devices(root / "dev"));
  for (const auto& [ours, theirs] : kSettingFiles) {
    if (::mount((fs::path("/settings") / ours).c_str(), (root / theirs).c_str(), nullptr, MS_BIND,
                nullptr) != 0) {
      return guest_failed(std::string("mounting ") + theirs);
    }
  }
  return start_network();
}

Result<void> become_job(const std::vector<std::string>& words) {
  if (::chroot(kRoot) != 0 || ::chdir("/tmp") != 0) return guest_failed("moving into the image");
  ::setsid();
  const int null = ::open("/dev/null", O_RDONLY);
  if (null >= 0) ::dup2(null, 0);
  PYBOX_TRY(drop_everything(kBuilder));
  return execute(words);
}

Result<void> serve() {
  PYBOX_TRY(open_console());
  ::dprintf(1, "pybox-builder: booted\n");
  PYBOX_TRY(make_root());
  const std::vector<std::string> words = PYBOX_TRY(lines_of("/argv"));
  if (words.empty()) return Error(ErrorKind::Protocol, "the builder VM got no job");
  const pid_t child = ::fork();
  if (child < 0) return guest_failed("starting the job");
  if (child == 0) {
    const Result<void> failure = become_job(words);
    ::dprintf(2, "pybox-builder: %s\n", failure.error().message().c_str());
    ::_exit(kNoBuilderBox);
  }
  for (;;) {
    const pid_t ended = ::waitpid(-1, nullptr, 0);
    if (ended == child || (ended < 0 && errno != EINTR)) return {};
  }
}

}  // namespace

bool is_builder_guest(const char* program_name) {
  return program_name != nullptr && kBuilderInit == program_name && ::getpid() == 1;
}

void run_builder_guest() {
  if (const Result<void> served = serve(); !served)
    ::dprintf(2, "pybox-builder: %s\n", served.error().message().c_str());
  ::sync();
  ::reboot(RB_POWER_OFF);
  ::_exit(1);
}

}  // namespace pybox::builder
