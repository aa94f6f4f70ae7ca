#include "boxd/guest_disks.hpp"

#include <linux/netlink.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "boxd/guest_init.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::guest {
namespace {

namespace fs = std::filesystem;

constexpr Nanos kDiskPatience = std::chrono::seconds(10);

std::optional<std::string> scan(std::string_view serial) {
  std::error_code error;
  for (const fs::path& entry : sys::entries_of("/sys/block", error)) {
    if (const auto text = sys::read_file(entry / "serial"); text && trimmed(*text) == serial) {
      return entry.filename();
    }
    const auto page = sys::read_file(entry / "device/vpd_pg80");
    if (page && serial_in_vpd_page(*page) == serial) return entry.filename();
  }
  return std::nullopt;
}

Result<sys::Fd> open_uevents() {
  sys::Fd fd(
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = 1;  // the kernel's own multicast group
  if (!fd.is_open() ||
      ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Error::from_errno(errno, "listening for new devices");
  }
  return fd;
}

/// Waits for any uevent and drops what arrived; the caller scans again.
void wait_for_uevent(const sys::Fd& events, Nanos patience) {
  pollfd ready{events.get(), POLLIN, 0};
  ::poll(&ready, 1, static_cast<int>(std::chrono::ceil<Millis>(patience).count()));
  std::array<char, 4096> dropped;
  while (::recv(events.get(), dropped.data(), dropped.size(), 0) > 0) {
  }
}

/// A disk stands in sysfs a moment before its device can be opened: until the kernel has added it
/// whole, mounting gives ENXIO (or ENOENT, before its node is made). Its uevent comes after that.
Result<void> mount_when_ready(const std::string& disk, const fs::path& target, Nanos patience) {
  const sys::Fd events = PYBOX_TRY(open_uevents());
  const std::string device = "/dev/" + disk;
  const Nanos deadline = monotonic_now() + patience;
  for (;;) {
    if (::mount(device.c_str(), target.c_str(), "erofs", MS_RDONLY | MS_NOSUID | MS_NODEV, "") == 0)
      return {};
    const int code = errno;
    const Nanos left = deadline - monotonic_now();
    if ((code != ENXIO && code != ENOENT) || left <= Nanos(0))
      return Error::from_errno(code, "mounting the image disk " + disk);
    wait_for_uevent(events, left);
  }
}

bool is_image_id(std::string_view id) {
  constexpr std::string_view kPrefix = "sha256:";
  return id.size() == kPrefix.size() + 64 && id.starts_with(kPrefix) &&
         id.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
}

}  // namespace

std::string_view serial_in_vpd_page(std::string_view page) {
  if (page.size() < 4 || static_cast<unsigned char>(page[1]) != 0x80) return {};
  const std::size_t size = static_cast<unsigned char>(page[3]);
  return trimmed(page.substr(4, size));
}

Result<std::string> find_disk(std::string_view serial, Nanos patience) {
  // Opened before the first scan: a device that appears between scan and wait is not missed.
  const sys::Fd events = PYBOX_TRY(open_uevents());
  const Nanos deadline = monotonic_now() + patience;
  for (;;) {
    if (auto found = scan(serial)) return *found;
    const Nanos left = deadline - monotonic_now();
    if (left <= Nanos(0)) break;
    wait_for_uevent(events, left);
  }
  return Error(ErrorKind::HostCannot, "no disk with serial " + std::string(serial) + " appeared");
}

Result<fs::path> mount_image(const std::string& serial, const std::string& image_id) {
  if (!is_image_id(image_id)) return Error(ErrorKind::Protocol, "no image id: " + image_id);
  const fs::path target = fs::path("/images") / image_id.substr(image_id.find(':') + 1);
  if (::mkdir(target.c_str(), 0755) != 0 && errno == EEXIST) {
    struct stat here {};
    struct stat above {};
    if (::stat(target.c_str(), &here) == 0 && ::stat("/images", &above) == 0 &&
        here.st_dev != above.st_dev) {
      return target;
    }
  }
  const std::string disk = PYBOX_TRY(find_disk(serial, kDiskPatience));
  PYBOX_TRY(mount_when_ready(disk, target, kDiskPatience));
  return target;
}

}  // namespace pybox::guest
