#include "vm/qemu_process.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "sys/syscalls.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::vm {
namespace {

/// Above every number that QEMU's command line names, so that no dup2 overwrites a source.
constexpr int kLifted = 32;

/// Everything the child needs, prepared before the fork.
struct ChildPlan {
  const char* program = nullptr;
  char* const* arguments = nullptr;
  /// {ours, theirs}
  std::array<std::pair<int, int>, 6> descriptors;
  int failure = -1;  ///< where errno goes when exec fails
  pid_t parent = 0;
};

/// For the day on which a guest has taken QEMU over: without a right beyond its caller's id,
/// whoever started it, and without a core file that holds the guest's memory. A caller that is not
/// root has no bounding set to empty, and nothing to lose; no-new-privs keeps root from getting
/// back, by execve, what was given up.
bool give_up_rights() {
  for (unsigned long capability = 0; capability < 64; ++capability)
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  const rlimit no_core{0, 0};
  return ::setrlimit(RLIMIT_CORE, &no_core) == 0 &&
         ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
         ::syscall(SYS_capset, &header, none) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/// After fork: async-signal-safe calls only.
[[noreturn]] void become_qemu(const ChildPlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before prctl took effect.
  if (::getppid() != plan.parent) ::_exit(1);
  // What a terminal sends its foreground group is for PyBox; QEMU ends with it.
  ::setsid();
  struct sigaction defaults {};
  defaults.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &defaults, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const auto& [ours, theirs] : plan.descriptors) ::dup2(ours, theirs);
  char* const environment[] = {nullptr};
  if (give_up_rights()) ::execve(plan.program, plan.arguments, environment);
  const int code = errno;
  (void)!::write(plan.failure, &code, sizeof code);
  ::_exit(127);
}

Result<sys::Fd> lift(int fd) {
  sys::Fd lifted(::fcntl(fd, F_DUPFD_CLOEXEC, kLifted));
  if (!lifted.is_open()) return Error::from_errno(errno, "passing a descriptor to QEMU");
  return lifted;
}

struct Ends {
  sys::Fd ours;
  sys::Fd theirs;  ///< lifted
};

Result<Ends> make_ends() {
  auto pair = PYBOX_TRY(sys::make_socket_pair());
  PYBOX_TRY(sys::set_nonblocking(pair.first));
  return Ends{std::move(pair.first), PYBOX_TRY(lift(pair.second.get()))};
}

}  // namespace

Result<QemuProcess> start_qemu(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments) {
  Ends console = PYBOX_TRY(make_ends());
  Ends qmp = PYBOX_TRY(make_ends());
  Ends link = PYBOX_TRY(make_ends());
  Ends words = PYBOX_TRY(make_ends());
  sys::Pipe failure = PYBOX_TRY(sys::make_pipe());
  sys::Fd failure_write = PYBOX_TRY(lift(failure.write.get()));
  const sys::Fd null_file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const sys::Fd null = PYBOX_TRY(lift(null_file.get()));
  std::vector<char*> words_of_command;
  words_of_command.push_back(const_cast<char*>(program.c_str()));
  for (const std::string& word : arguments) {
    words_of_command.push_back(const_cast<char*>(word.c_str()));
  }
  words_of_command.push_back(nullptr);
  const ChildPlan plan{program.c_str(),
                       words_of_command.data(),
                       {{{null.get(), 0},
                         {words.theirs.get(), 1},
                         {words.theirs.get(), 2},
                         {console.theirs.get(), kConsoleFd},
                         {qmp.theirs.get(), kQmpFd},
                         {link.theirs.get(), kLinkFd}}},
                       failure_write.get(),
                       ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno(errno, "starting QEMU");
  if (pid == 0) become_qemu(plan);
  sys::Fd pidfd(sys::pidfd_open(pid));
  if (!pidfd.is_open()) {
    Error error = Error::from_errno(errno, "watching QEMU");
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return error;
  }
  sys::Child child(pid, std::move(pidfd));
  failure.write.reset();
  failure_write.reset();
  int code = 0;
  if (::read(failure.read.get(), &code, sizeof code) == sizeof code) {
    return Error::from_errno(code, "starting " + program.string());
  }
  return QemuProcess{std::move(child), std::move(console.ours), std::move(qmp.ours),
                     std::move(link.ours), std::move(words.ours)};
}

}  // namespace pybox::vm
