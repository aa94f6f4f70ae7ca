#include "campaign/world/plant_host.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "campaign/world/planted.hpp"
#include "sys/file.hpp"
#include "sys/syscalls.hpp"

namespace pybox::campaign {
namespace {

constexpr int kToWorld = 3;
constexpr int kNamespaces = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

int fail(const char* doing) {
  std::perror(doing);
  return 1;
}

/// Root covers the folder with a small file system of its own; an ordinary user makes it.
Result<void> make_folder(const std::string& canary, const char* folder) {
  if (::geteuid() != 0) {
    if (::mkdir(folder, 0755) != 0) return Error::from_errno(errno, folder);
    return {};
  }
  const std::string host = canary + ":hostname";
  if (::unshare(kNamespaces) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=16m") != 0 ||
      ::sethostname(host.data(), host.size()) != 0 || !raise_loopback()) {
    return Error::from_errno(errno, "making the world's own namespaces");
  }
  return {};
}

Result<void> plant(Planted& planted) {
  PYBOX_TRY(planted.files());
  PYBOX_TRY(planted.servers());
  planted.kernel_objects();
  planted.hostname();
  return planted.process("/proc/self/exe");
}

bool tell(const std::string& line) { return sys::write_all(kToWorld, line + "\n").has_value(); }

/// Into every namespace of the process that planted.
bool enter(pid_t planter) {
  const sys::Fd pidfd(sys::pidfd_open(planter));
  return pidfd.is_open() && ::setns(pidfd.get(), kNamespaces) == 0 && ::chdir("/") == 0;
}

}  // namespace

int plant_on_host(const char* canary, const char* folder) {
  ::signal(SIGPIPE, SIG_IGN);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::signal(number, SIG_IGN);
  ::umask(0);
  const Result<void> made = make_folder(canary, folder);
  if (!made) {
    tell("failed " + made.error().message());
    return 1;
  }
  int code = 0;
  {
    Planted planted(canary, folder, folder);
    const Result<void> done = plant(planted);
    if (!done) {
      tell("failed " + done.error().message());
      code = 1;
    } else if (tell("planted " + planted.ask().json())) {
      planted.serve(kToWorld, [](const std::string& kind, unsigned count) {
        tell("noticed " + kind + " " + std::to_string(count));
      });
    }
  }
  if (::geteuid() != 0) (void)sys::remove_tree(folder).has_value();
  return code;
}

int enter_and_start(int argc, char** argv) {
  if (argc < 5) return 2;
  if (::geteuid() == 0 && !enter(std::atoi(argv[2]))) return fail("entering the world");
  const std::string leaked = std::string(argv[3]) + "/" + kLeakedFile;
  const int fd = ::open(leaked.c_str(), O_RDONLY);
  if (fd < 0) return fail(leaked.c_str());
  if (fd != kLeakedFd && ::dup3(fd, kLeakedFd, 0) < 0) return fail("leaving a descriptor open");
  if (fd != kLeakedFd) ::close(fd);
  ::execve(argv[4], argv + 4, environ);
  return fail(argv[4]);
}

}  // namespace pybox::campaign
