#include "vm/socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/units.hpp"
#include "sys/file.hpp"

namespace pybox::vm {
namespace {

constexpr int kBacklog = 64;
constexpr Nanos kConnectPatience = std::chrono::seconds(5);

/// An address through the folder's descriptor, which is short whatever the folder's name.
struct Address {
  sys::Fd folder;
  sockaddr_un name{};
  const sockaddr* pointer() const { return reinterpret_cast<const sockaddr*>(&name); }
};

Result<Address> address_of(const std::filesystem::path& path) {
  Address address;
  address.folder = PYBOX_TRY(sys::open_path(path.parent_path(), O_PATH | O_DIRECTORY));
  address.name.sun_family = AF_UNIX;
  const std::string text =
      "/proc/self/fd/" + std::to_string(address.folder.get()) + "/" + path.filename().string();
  if (text.size() >= sizeof address.name.sun_path) {
    return Error(ErrorKind::Internal, "the socket's name is too long: " + path.string());
  }
  std::memcpy(address.name.sun_path, text.c_str(), text.size() + 1);
  return address;
}

/// Zero: wait for good.
void set_send_timeout(const sys::Fd& fd, Nanos patience) {
  const timeval time{std::chrono::duration_cast<std::chrono::seconds>(patience).count(), 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

Result<sys::Fd> open_socket(int flags) {
  sys::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!fd.is_open()) return Error::from_errno(errno, "making a socket");
  return fd;
}

}  // namespace

Result<sys::Fd> listen_socket(const std::filesystem::path& path) {
  const Address address = PYBOX_TRY(address_of(path));
  sys::Fd fd = PYBOX_TRY(open_socket(SOCK_NONBLOCK));
  const mode_t before = ::umask(0177);
  const int bound = ::bind(fd.get(), address.pointer(), sizeof address.name);
  const int code = errno;
  ::umask(before);
  if (bound != 0) return Error::from_errno(code, "making the socket " + path.string());
  if (::listen(fd.get(), kBacklog) != 0) return Error::from_errno(errno, "listening");
  return fd;
}

Result<sys::Fd> connect_socket(const std::filesystem::path& path) {
  const Address address = PYBOX_TRY(address_of(path));
  sys::Fd fd = PYBOX_TRY(open_socket(0));
  // A listener that is stopped with a full backlog would block connect(2) for good.
  set_send_timeout(fd, kConnectPatience);
  if (::connect(fd.get(), address.pointer(), sizeof address.name) != 0) {
    return Error::from_errno(errno, "connecting to " + path.string());
  }
  set_send_timeout(fd, Nanos{0});
  return fd;
}

sys::Fd accept_socket(const sys::Fd& listener) {
  sys::Fd fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.is_open()) return fd;
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = ::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  if (!known || (peer.uid != ::geteuid() && peer.uid != 0)) return sys::Fd();
  return fd;
}

}  // namespace pybox::vm
