/// The servers among what is planted: each hands out its text to whoever comes, and counts.

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/clock.hpp"
#include "campaign/world/planted.hpp"

namespace pybox::campaign {
namespace {

constexpr int kBacklog = 64;
constexpr int kFlushMillis = 20;
constexpr int kReachMillis = 100;
/// So often a mount comes or goes, and roots are looked at.
constexpr int kToggleMillis = 250;
constexpr unsigned kVsockPort = 41042;

union Address {
  sockaddr any;
  sockaddr_in in;
  sockaddr_in6 in6;
  sockaddr_un un;
  sockaddr_vm vm;
};

Result<sys::Fd> listening(int family, int type, const Address& at, socklen_t size,
                          const char* doing) {
  sys::Fd fd(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.is_open() || ::bind(fd.get(), &at.any, size) != 0 ||
      (type == SOCK_STREAM && ::listen(fd.get(), kBacklog) != 0)) {
    return Error::from_errno(errno, doing);
  }
  return fd;
}

/// True when a server at `at` can be reached from here.
bool reachable(int family, const Address& at, socklen_t size) {
  const sys::Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.is_open()) return false;
  if (::connect(fd.get(), &at.any, size) == 0) return true;
  pollfd ready{fd.get(), POLLOUT, 0};
  int problem = 0;
  socklen_t length = sizeof problem;
  return errno == EINPROGRESS && ::poll(&ready, 1, kReachMillis) == 1 &&
         ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &problem, &length) == 0 && problem == 0;
}

/// Accepts and closes what reachable() left behind.
void forget_callers(const sys::Fd& listener) {
  for (int fd = 0; (fd = ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
    ::close(fd);
}

/// Gives the loopback interface one more address, under a name of its own ("lo:1").
bool add_address(const std::string& alias, const char* address) {
  const sys::Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, alias.c_str(), std::min(alias.size(), sizeof request.ifr_name - 1));
  Address at{};
  at.in.sin_family = AF_INET;
  at.in.sin_addr.s_addr = ::inet_addr(address);
  request.ifr_addr = at.any;
  if (!fd.is_open() || ::ioctl(fd.get(), SIOCSIFADDR, &request) != 0) return false;
  at.in.sin_addr.s_addr = INADDR_NONE;  // 255.255.255.255: this address alone
  request.ifr_netmask = at.any;
  return ::ioctl(fd.get(), SIOCSIFNETMASK, &request) == 0;
}

}  // namespace

Result<void> Planted::serve_at(const char* kind, const char* alias, const char* address) {
  if (!add_address(alias, address)) return Error::from_errno(errno, address);
  Address at{};
  socklen_t size = sizeof at.in;
  at.in.sin_family = AF_INET;
  at.in.sin_addr.s_addr = ::inet_addr(address);
  sys::Fd fd = PYBOX_TRY(listening(AF_INET, SOCK_STREAM, at, size, kind));
  if (::getsockname(fd.get(), &at.any, &size) != 0) return Error::from_errno(errno, kind);
  ask_.place(kind, "\"" + std::string(address) + "\"", ntohs(at.in.sin_port));
  servers_.push_back({kind, std::move(fd), Handing::Accept});
  return {};
}

Result<void> Planted::serve_inet(const char* kind, int family, int type) {
  Address at{};
  socklen_t size = sizeof at.in;
  at.any.sa_family = static_cast<sa_family_t>(family);
  if (family == AF_INET6) {
    at.in6.sin6_addr = in6addr_loopback;
    size = sizeof at.in6;
  } else {
    at.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  sys::Fd fd = PYBOX_TRY(listening(family, type, at, size, kind));
  if (::getsockname(fd.get(), &at.any, &size) != 0) return Error::from_errno(errno, kind);
  const bool six = family == AF_INET6;
  ask_.place(kind, six ? "\"::1\"" : "\"127.0.0.1\"",
             ntohs(six ? at.in6.sin6_port : at.in.sin_port));
  servers_.push_back(
      {kind, std::move(fd), type == SOCK_STREAM ? Handing::Accept : Handing::Answer});
  return {};
}

Result<void> Planted::serve_unix() {
  Address at{};
  at.un.sun_family = AF_UNIX;
  const std::string name = "pybox-outside-" + canary_.substr(0, 8);
  std::memcpy(at.un.sun_path + 1, name.data(), name.size());
  const auto abstract_size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  servers_.push_back({"abstract",
                      PYBOX_TRY(listening(AF_UNIX, SOCK_STREAM, at, abstract_size, "abstract")),
                      Handing::Accept});
  ask_.text("abstract", std::string(1, '\0') + name);
  const std::string path = folder_ / "socket";
  at = {};
  at.un.sun_family = AF_UNIX;
  if (path.size() >= sizeof at.un.sun_path) return Error(ErrorKind::Io, "the path is too long");
  std::memcpy(at.un.sun_path, path.c_str(), path.size() + 1);
  servers_.push_back({"unix", PYBOX_TRY(listening(AF_UNIX, SOCK_STREAM, at, sizeof at.un, "unix")),
                      Handing::Accept});
  if (::chmod(path.c_str(), 0777) != 0) return Error::from_errno(errno, "opening the socket");
  ask_.text("unix", seen_as_ / "socket");
  return {};
}

/// Only where a guest or loopback transport is there to carry it.
void Planted::serve_vsock() {
  Address at{};
  at.vm.svm_family = AF_VSOCK;
  at.vm.svm_cid = VMADDR_CID_ANY;
  at.vm.svm_port = kVsockPort;
  Result<sys::Fd> fd = listening(AF_VSOCK, SOCK_STREAM, at, sizeof at.vm, "vsock");
  if (!fd) return;
  std::array<unsigned, 2> cids = {VMADDR_CID_LOCAL, VMADDR_CID_ANY};
  const sys::Fd device(::open("/dev/vsock", O_RDONLY | O_CLOEXEC));
  if (device.is_open()) ::ioctl(device.get(), IOCTL_VM_SOCKETS_GET_LOCAL_CID, &cids[1]);
  for (const unsigned cid : cids) {
    at.vm.svm_cid = cid;
    if (cid == VMADDR_CID_ANY || !reachable(AF_VSOCK, at, sizeof at.vm)) continue;
    forget_callers(*fd);
    ask_.place("vsock", std::to_string(cid), kVsockPort);
    servers_.push_back({"vsock", std::move(fd).value(), Handing::Accept});
    return;
  }
}

Result<void> Planted::servers() {
  PYBOX_TRY(serve_inet("tcp", AF_INET, SOCK_STREAM));
  PYBOX_TRY(serve_inet("udp", AF_INET, SOCK_DGRAM));
  // A host may run without IPv6.
  (void)serve_inet("tcp6", AF_INET6, SOCK_STREAM).has_value();
  PYBOX_TRY(serve_unix());
  serve_vsock();
  // Addresses that are not the loopback's: only where the network is the world's own.
  if (::geteuid() != 0) return {};
  PYBOX_TRY(serve_at("metadata", "lo:1", "169.254.169.254"));
  PYBOX_TRY(serve_at("host", "lo:2", "192.0.2.77"));  // RFC 5737: nobody's
  return {};
}

void Planted::hand_out(const Server& server) {
  const std::string text = text_of(server.kind);
  if (server.how == Handing::Answer) {
    Address from{};
    socklen_t size = sizeof from;
    std::array<char, 64> ignored;
    if (::recvfrom(server.fd.get(), ignored.data(), ignored.size(), MSG_DONTWAIT, &from.any,
                   &size) < 0)
      return;
    ::sendto(server.fd.get(), text.data(), text.size(), MSG_DONTWAIT, &from.any, size);
  } else {
    const sys::Fd caller(::accept4(server.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!caller.is_open()) return;
    ::send(caller.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  ++noticed_[server.kind];
}

void Planted::tell(const std::function<void(const std::string&, unsigned)>& noticed) {
  for (const auto& [kind, count] : noticed_) noticed(kind, count);
  noticed_.clear();
  told_ = monotonic_now();
}

void Planted::serve(int end,
                    const std::function<void(const std::string& kind, unsigned count)>& noticed) {
  for (;;) {
    std::vector<pollfd> watched = {{end, POLLIN, 0},
                                   {victim_watch_.get(), POLLIN, 0},
                                   {hostname_watch_.get(), POLLPRI, 0},
                                   {process_fd_.get(), POLLIN, 0},
                                   {terminal_.get(), POLLIN, 0}};
    const std::size_t first = watched.size();
    for (const Server& server : servers_) watched.push_back({server.fd.get(), POLLIN, 0});
    const int patience = noticed_.empty() ? kToggleMillis : kFlushMillis;
    ::poll(watched.data(), watched.size(), patience);
    if (!noticed_.empty() && monotonic_now() - told_ >= Millis(kFlushMillis)) tell(noticed);
    if (watched[0].revents != 0) return;
    if (watched[1].revents != 0) look_at_victim();
    if (watched[2].revents != 0) look_at_hostname();
    if (watched[3].revents != 0) look_at_process();
    if (watched[4].revents != 0) look_at_terminal(watched[4].revents);
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      if (watched[first + i].revents != 0) hand_out(servers_[i]);
    }
    if (toggles_ && monotonic_now() - toggled_ >= Millis(kToggleMillis)) toggle_mount();
    if (monotonic_now() - looked_ >= Millis(kToggleMillis)) {
      look_at_roots();
      looked_ = monotonic_now();
    }
  }
}

}  // namespace pybox::campaign
