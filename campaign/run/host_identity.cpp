#include "campaign/run/host_identity.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string first_line_of(const fs::path& file) {
  const auto text = sys::read_file(file, 4_KiB);
  return text ? text.value().substr(0, text.value().find('\n')) : "";
}

void add_names(Secrets& secrets) {
  utsname names{};
  (void)::uname(&names);
  const std::string host = names.nodename;
  secrets.emplace_back(host, "host");
  secrets.emplace_back(host.substr(0, host.find('.')), "host");
}

/// Of man 5 passwd, for the user who runs and those whom the environment names.
void add_people(Secrets& secrets) {
  std::array<std::string, 3> called = {from_environment("USER"), from_environment("LOGNAME"),
                                       from_environment("SUDO_USER")};
  for (const std::string& name : called) secrets.emplace_back(name, "user");
  secrets.emplace_back(from_environment("HOME"), "home");
  const std::string uid = std::to_string(::getuid());
  const auto accounts = sys::read_file("/etc/passwd", 4_MiB);
  if (!accounts) return;
  for (std::string_view rest = accounts.value(); !rest.empty();) {
    std::string_view line = take_line(rest);
    std::array<std::string, 6> fields;  // name, password, uid, gid, comment, home; the shell stays
    for (std::string& field : fields) field = take_until(line, ':');
    const bool ours = fields[2] == uid || fields[0] == called[0] || fields[0] == called[1] ||
                      fields[0] == called[2];
    if (!ours) continue;
    secrets.emplace_back(fields[0], "user");
    secrets.emplace_back(fields[5], "home");
  }
}

void add_numbers(Secrets& secrets) {
  secrets.emplace_back(first_line_of("/etc/machine-id"), "machine-id");
  secrets.emplace_back(first_line_of("/var/lib/dbus/machine-id"), "machine-id");
  secrets.emplace_back(first_line_of("/proc/sys/kernel/random/boot_id"), "boot-id");
}

void add_interfaces(Secrets& secrets) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(list, &::freeifaddrs);
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if ((each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    // The name is the kernel's: no slash, at most 15 bytes.
    secrets.emplace_back(first_line_of(fs::path("/sys/class/net") / each->ifa_name / "address"),
                         "mac");
    if (each->ifa_addr == nullptr) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* address = nullptr;
    if (each->ifa_addr->sa_family == AF_INET)
      address = &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr;
    if (each->ifa_addr->sa_family == AF_INET6)
      address = &reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr;
    if (address == nullptr) continue;
    if (::inet_ntop(each->ifa_addr->sa_family, address, text.data(), text.size()) != nullptr)
      secrets.emplace_back(text.data(), "address");
  }
}

}  // namespace

Secrets secrets_of_this_host(const OwnFolders& folders) {
  Secrets secrets = {{folders.home.string(), "pybox-home"},
                     {folders.programs.string(), "programs"},
                     {folders.source.string(), "source"}};
  add_names(secrets);
  add_people(secrets);
  add_numbers(secrets);
  add_interfaces(secrets);
  return secrets;
}

}  // namespace pybox::campaign
