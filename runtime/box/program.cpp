#include <fcntl.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/crashpoint.hpp"
#include "box/inside.hpp"
#include "box/privileges.hpp"
#include "box/seccomp_filter.hpp"

namespace pybox::box {
namespace {

void join_cgroups(const InsideWork& work) {
  // "0" names the writer; a single-threaded process moving itself takes no global lock.
  for (const int tasks : work.fds.cgroup_tasks) {
    if (::write(tasks, "0", 1) != 1) give_up(work.fds.program_socket, "joining the box's cgroup");
  }
}

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number <= SIGRTMAX; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void raise_loopback(int socket_to_boxd) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (fd < 0 || ::ioctl(fd, SIOCSIFFLAGS, &request) != 0)
    give_up(socket_to_boxd, "raising the loopback interface");
  ::close(fd);
}

/// 0, 1, 2 are the program's; 3 is our socket to boxd and 4 that to the keeper, both close-on-exec;
/// nothing else stays open.
constexpr int kToBoxd = 3;
constexpr int kToKeeper = 4;
void arrange_descriptors(const InsideWork& work) {
  const int socket = work.fds.program_socket;
  // Lift the sources above the places they go to.
  int in = ::fcntl(work.fds.stdin_fd, F_DUPFD_CLOEXEC, 10);
  const int out = ::fcntl(work.fds.stdout_fd, F_DUPFD_CLOEXEC, 10);
  const int err = ::fcntl(work.fds.stderr_fd, F_DUPFD_CLOEXEC, 10);
  const int back = ::fcntl(socket, F_DUPFD_CLOEXEC, 10);
  const int root = ::fcntl(work.fds.root_socket_program, F_DUPFD_CLOEXEC, 10);
  if (in < 0) in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);  // no stdin given: it is empty
  if (in < 0 || out < 0 || err < 0 || back < 0 || root < 0 || ::dup2(in, 0) < 0 ||
      ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0 || ::dup3(back, kToBoxd, O_CLOEXEC) < 0 ||
      ::dup3(root, kToKeeper, O_CLOEXEC) < 0) {
    give_up(socket, "arranging descriptors");
  }
  if (!work.plan->cuts.left_out("proc.closefds") && ::close_range(kToKeeper + 1, ~0U, 0) != 0)
    give_up(kToBoxd, "closing descriptors");
}

void limit_resources(const BoxPlan& plan, int socket) {
  for (const ResourceLimit& limit : plan.resource_limits) {
    if (plan.cuts.left_out(limit.protection)) continue;
    const rlimit both{limit.value, limit.value};
    if (::setrlimit(static_cast<__rlimit_resource>(limit.resource), &both) != 0)
      give_up(socket, limit.shown);
  }
}

void drop_rights(const BoxPlan& plan, int socket) {
  const bool keep = plan.cuts.left_out("cred.caps");
  if (keep && (!make_inheritable() || !keep_over_change_of_ids()))
    give_up(socket, "keeping capabilities for a control arm");
  if (!plan.cuts.left_out("cred.bound") && !empty_bounding_set())
    give_up(socket, "emptying the bounding set");
  if (plan.ids.two_ids) {
    const Groups groups = plan.cuts.left_out("cred.groups") ? Groups::Keep : Groups::Drop;
    const uid_t id = plan.cuts.left_out("cred.uid") ? IdMap::kKeeperInside : plan.ids.program;
    if (!become(id, groups)) give_up(socket, "taking the program's ids");
  }
  if (keep && !make_ambient()) give_up(socket, "keeping capabilities over execve");
  if (!keep && !drop_every_capability()) give_up(socket, "dropping capabilities");
  if (!plan.cuts.left_out("cred.nnp") && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    give_up(socket, "setting no-new-privileges");
  }
}

void load_filter(const BoxPlan& plan, bool memfd_noexec, int socket) {
  const std::span<const sock_filter> filter = plan.filters.get(memfd_noexec);
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    give_up(socket, "loading the system call filter");
}

}  // namespace

void program_main(const InsideWork& work, bool memfd_noexec) {
  const BoxPlan& plan = *work.plan;
  int socket = work.fds.program_socket;
  join_cgroups(work);
  PYBOX_CRASHPOINT("program.in-cgroup");
  // Everything that needs no root is done while the keeper builds it.
  if (!plan.cuts.left_out("ns.cgroup") && ::unshare(CLONE_NEWCGROUP) != 0)
    give_up(socket, "making a cgroup namespace");
  if (!plan.cuts.left_out("ns.net")) raise_loopback(socket);
  if (!plan.cuts.left_out("proc.setsid") && ::setsid() < 0) give_up(socket, "starting a session");
  ::umask(022);
  reset_signals();
  arrange_descriptors(work);
  socket = kToBoxd;
  limit_resources(plan, socket);
  // An unprivileged boxd may read this process back only while it is dumpable (man 2 ptrace).
  if (!plan.ids.two_ids) ::prctl(PR_SET_DUMPABLE, 1);
  // Without no-new-privileges a filter needs a capability to load (man 2 seccomp).
  if (plan.cuts.left_out("cred.nnp")) load_filter(plan, memfd_noexec, socket);
  drop_rights(plan, socket);
  PYBOX_CRASHPOINT("program.rights-dropped");
  if (!plan.cuts.left_out("cred.nnp")) load_filter(plan, memfd_noexec, socket);
  PYBOX_CRASHPOINT("program.filter-loaded");
  Message sealed{Say::Sealed, memfd_noexec ? 1 : 0, 0, {}};
  try_probes(sealed.text);

  Message ready;
  if (!receive_message(kToKeeper, ready) || ready.say != Say::RootReady) ::_exit(1);
  ::close(kToKeeper);
  if (!plan.cuts.left_out("proc.cwd") && ::chdir("/tmp") != 0) give_up(socket, "entering /tmp");
  if (!send_message(socket, sealed)) ::_exit(1);
  Message start;
  if (!receive_message(socket, start) || start.say != Say::Start) ::_exit(1);
  PYBOX_CRASHPOINT("program.before-exec");
  const bool cleanenv = !plan.cuts.left_out("proc.cleanenv");
  ::execve(kInterpreter, work.argv, cleanenv ? work.environment : environ);
  give_up(socket, "starting /usr/bin/python3 of the image");
}

}  // namespace pybox::box
