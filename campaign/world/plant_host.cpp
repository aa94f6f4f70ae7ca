#include "campaign/world/plant_host.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.hpp"
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

/// Takes away what is mounted below the folder, in this mount namespace only: it would stay in the
/// mount table, which a control arm may show.
void uncover(const std::string& folder) {
  const Result<std::string> text = sys::read_file("/proc/self/mountinfo");
  const std::string table = text ? *text : "";
  std::vector<std::string> below;
  for (std::string_view rest = table; !rest.empty();) {
    std::string_view line = take_line(rest);
    for (int field = 0; field < 4; ++field) take_word(line);
    const std::string point(take_word(line));
    if (point.starts_with(folder + "/")) below.push_back(point);
  }
  for (const std::string& point : below) ::umount2(point.c_str(), MNT_DETACH);
}

/// Root covers the folder with a small file system of its own; an ordinary user makes it.
Result<void> make_folder(const std::string& canary, const char* folder) {
  if (::geteuid() != 0) {
    if (::mkdir(folder, 0755) != 0) return Error::from_errno(errno, folder);
    return {};
  }
  const std::string host = canary + ":hostname";
  if (::unshare(kNamespaces) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return Error::from_errno(errno, "making the world's own namespaces");
  }
  uncover(folder);
  if (::mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=16m") != 0)
    return Error::from_errno(errno, "covering " + std::string(folder));
  if (::sethostname(host.data(), host.size()) != 0 || !raise_loopback()) {
    return Error::from_errno(errno, "making the world's own namespaces");
  }
  return {};
}

Result<void> plant_on_host(Planted& planted) {
  PYBOX_TRY(planted.files());
  PYBOX_TRY(planted.servers());
  planted.kernel_objects();
  planted.hostname();
  PYBOX_TRY(planted.terminal());
  if (::geteuid() == 0) planted.come_and_go();
  planted.watch_roots();
  return planted.process("/proc/self/exe");
}

bool tell(const std::string& line) { return sys::write_all(kToWorld, line + "\n").has_value(); }

/// Into every namespace of the process that planted, and into a group that owns something there.
bool enter(pid_t planter) {
  const sys::Fd pidfd(sys::pidfd_open(planter));
  const gid_t group = kGroup;
  return pidfd.is_open() && ::setns(pidfd.get(), kNamespaces) == 0 && ::setgroups(1, &group) == 0;
}

/// Opens `path` as descriptor `number`, which the next program keeps.
bool leave_open(const std::string& path, int flags, int number) {
  const int fd = ::open(path.c_str(), flags);
  if (fd < 0 || fd == number) return fd == number;
  const bool done = ::dup3(fd, number, 0) == number;
  ::close(fd);
  return done;
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
    planted.started_in(folder);
    const Result<void> done = plant_on_host(planted);
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
  const std::string folder = argv[3];
  if (::geteuid() == 0 && !enter(std::atoi(argv[2]))) return fail("entering the world");
  if (::chdir(folder.c_str()) != 0) return fail(folder.c_str());
  if (!leave_open(folder + "/" + kLeakedFile, O_RDONLY, kLeakedFd) ||
      !leave_open(folder + "/" + kTerminalLink, O_RDWR | O_NOCTTY, kTerminalFd) ||
      ::ioctl(kTerminalFd, TIOCSCTTY, 0) != 0) {
    return fail("leaving descriptors open");
  }
  ::execve(argv[4], argv + 4, environ);
  return fail(argv[4]);
}

}  // namespace pybox::campaign
