#include "campaign/bench/bare.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "box/plan.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

constexpr const char* kInterpreter = "/usr/bin/python3";
constexpr std::size_t kStack = 65536;

/// What the child needs and what it leaves: the memory is ours too, and we wait until it executed
/// or ended.
struct Entering {
  const char* rootfs = nullptr;
  std::array<int, 3> streams{};
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* failed = nullptr;  ///< the step that failed
  int code = 0;                  ///< its errno
};

int give_up(Entering& work, const char* step) {
  work.code = errno;
  work.failed = step;
  return 127;
}

/// In the child: async-signal-safe calls only.
int enter(void* argument) {
  Entering& work = *static_cast<Entering*>(argument);
  // Our own disposition of SIGPIPE and blocked signals are not the program's.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &usual, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setsid();
  for (int fd = 0; fd < 3; ++fd) {
    if (::dup2(work.streams[static_cast<std::size_t>(fd)], fd) < 0)
      return give_up(work, "giving it its streams");
  }
  if (::close_range(3, ~0U, 0) != 0) return give_up(work, "closing descriptors");
  if (::chroot(work.rootfs) != 0) return give_up(work, "entering the image by chroot");
  if (::chdir("/") != 0) return give_up(work, "entering the image");
  ::execve(kInterpreter, work.argv, work.environment);
  return give_up(work, "executing /usr/bin/python3 of the image");
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<sys::Child> start_bare(const BareProgram& program, int out, int err) {
  const sys::Fd null = PYBOX_TRY(sys::open_path("/dev/null", O_RDONLY));
  std::vector<std::string> words = {"python3", "-I", "-c", program.text};
  std::vector<std::string> variables = box::program_environment(program.cpu);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  Entering work;
  work.rootfs = program.rootfs.c_str();
  // Above the three that are about to be overwritten.
  std::array<sys::Fd, 3> lifted;
  const std::array<int, 3> given = {null.get(), out, err};
  for (std::size_t i = 0; i < 3; ++i) {
    lifted[i] = sys::Fd(::fcntl(given[i], F_DUPFD_CLOEXEC, 3));
    if (!lifted[i].is_open()) return Error::from_errno(errno, "passing a descriptor");
    work.streams[i] = lifted[i].get();
  }
  work.argv = argv.data();
  work.environment = environment.data();
  alignas(16) std::array<char, kStack> stack;
  const int user_namespace = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
  int pidfd = -1;
  const pid_t pid =
      ::clone(enter, stack.data() + stack.size(),
              CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | user_namespace, &work, &pidfd);
  if (pid < 0) {
    return Error::from_errno(errno, "starting the bare interpreter")
        .as(ErrorKind::HostCannot)
        .hint(
            "an ordinary user needs user namespaces for it: `pybox doctor` says whether they are "
            "permitted");
  }
  sys::Child child(pid, sys::Fd(pidfd));
  if (work.failed == nullptr) return child;
  return Error::from_errno(work.code, "the bare interpreter: " + std::string(work.failed))
      .as(ErrorKind::HostCannot);
}

}  // namespace pybox::campaign
