#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/crashpoint.hpp"
#include "box/inside.hpp"
#include "box/privileges.hpp"
#include "sys/syscalls.hpp"

namespace pybox::box {
namespace {

/// Writes to a sysctl through the caller's /proc. Namespaced ones act on the namespace of the
/// writer (man 7 user_namespaces). Whether it was taken is for the reader to see.
void write_sysctl(const char* path, const char* value) {
  const int out = ::open(path, O_WRONLY | O_CLOEXEC);
  if (out < 0) return;
  (void)!::write(out, value, __builtin_strlen(value));
  ::close(out);
}

/// -1 when the kernel lacks it.
long read_sysctl(const char* path) {
  char text[32] = {};
  const int in = ::open(path, O_RDONLY | O_CLOEXEC);
  if (in < 0) return -1;
  const ssize_t n = ::read(in, text, sizeof(text) - 1);
  ::close(in);
  return n > 0 ? std::strtol(text, nullptr, 10) : -1;
}

/// boxd's own environment, in this process's copy of its memory: nothing of it may reach the
/// program, whoever started boxd with what. /proc/PID/environ shows this very place.
void wipe_environment() {
  for (char** each = environ; each != nullptr && *each != nullptr; ++each)
    for (char* letter = *each; *letter != '\0'; ++letter) *letter = '\0';
}

int namespaces_to_make(const BoxPlan& plan) {
  return (plan.cuts.left_out("ns.net") ? 0 : CLONE_NEWNET) |
         (plan.cuts.left_out("ns.ipc") ? 0 : CLONE_NEWIPC) |
         (plan.cuts.left_out("ns.uts") ? 0 : CLONE_NEWUTS);
}

/// A clone has every descriptor of boxd's: the link, other boxes' sockets, and boxd's end of its
/// own. Kept open, they would hide that boxd was killed from this keeper, from others and from the
/// client.
void close_all_but_ours(const InsideFds& fds) {
  std::array<int, 11> kept = {0,
                              1,
                              2,
                              fds.keeper_socket,
                              fds.program_socket,
                              fds.root_socket_keeper,
                              fds.root_socket_program,
                              fds.stdin_fd,
                              fds.stdout_fd,
                              fds.stderr_fd,
                              fds.outer_proc};
  std::sort(kept.begin(), kept.end());
  int next = 0;
  for (const int fd : kept) {
    if (fd > next) ::close_range(static_cast<unsigned>(next), static_cast<unsigned>(fd - 1), 0);
    next = std::max(next, fd + 1);
  }
  ::close_range(static_cast<unsigned>(next), ~0U, 0);
}

/// Waits until boxd has written the id map and made the cgroup, whose descriptors come into
/// `cgroup`; `work` refers to them.
void wait_until_mapped(InsideWork& work, std::array<int, kMostDescriptors>& cgroup) {
  Message mapped;
  std::size_t came = 0;
  if (!receive_message(work.fds.keeper_socket, mapped, SCM_RIGHTS,
                       std::as_writable_bytes(std::span(cgroup)), came) ||
      mapped.say != Say::Mapped) {
    ::_exit(1);
  }
  if (mapped.a == 1) {
    work.fds.into_cgroup = cgroup[0];
  } else {
    work.fds.cgroup_tasks = std::span(cgroup.data(), came / sizeof(int));
  }
}

pid_t clone_program(const InsideWork& work) {
  clone_args args{};
  args.exit_signal = SIGCHLD;
  if (work.fds.into_cgroup >= 0) {
    args.flags = CLONE_INTO_CGROUP;
    args.cgroup = static_cast<__u64>(work.fds.into_cgroup);
  }
  return sys::clone3(args);
}

/// SIGCHLD as a descriptor; every other signal is let through.
int watch_children() {
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &child_signal, nullptr);
  return ::signalfd(-1, &child_signal, SFD_CLOEXEC);
}

constexpr const char* kUserNamespaces = "/proc/sys/user/max_user_namespaces";
constexpr const char* kMemfdNoexec = "/proc/sys/vm/memfd_noexec";

/// Out of the way of the low numbers that the keeper ends with.
int lifted(int fd) { return fd < 0 ? fd : ::fcntl(fd, F_DUPFD_CLOEXEC, 16); }

void arm(int timer, Nanos time) {
  const itimerspec when{{}, to_timespec(time)};
  ::timerfd_settime(timer, 0, &when, nullptr);
}

/// Reaps whatever ended. True once the program itself was among them.
bool reap(const InsideWork& work, pid_t program) {
  bool ended = false;
  int status = 0;
  const pid_t whom = work.plan->cuts.left_out("sup.initreap") ? program : -1;
  for (pid_t pid = 0; (pid = ::waitpid(whom, &status, WNOHANG)) > 0;) {
    if (pid != program) continue;
    ended = true;
    PYBOX_CRASHPOINT("keeper.program-ended");
    const bool by_signal = WIFSIGNALED(status);
    const Message message{
        Say::Ended, by_signal ? 1 : 0, by_signal ? WTERMSIG(status) : WEXITSTATUS(status), {}};
    send_message(work.fds.keeper_socket, message);
  }
  return ended;
}

/// Waits for the end: children, the timer, boxd. While the program runs, boxd's end of the socket
/// closing (boxd was killed) changes nothing: the timer decides. Before and after there is nothing
/// to wait for.
[[noreturn]] void keep(const InsideWork& work, pid_t program, int timer, int children) {
  bool started = false;
  bool ended = false;
  bool boxd_is_gone = false;
  pollfd watched[3] = {
      {timer, POLLIN, 0}, {children, POLLIN, 0}, {work.fds.keeper_socket, POLLIN, 0}};
  for (;;) {
    if (boxd_is_gone && (!started || ended)) ::_exit(0);
    if (::poll(watched, 3, -1) < 0) continue;
    if ((watched[1].revents & POLLIN) != 0) {
      signalfd_siginfo info{};
      (void)!::read(children, &info, sizeof(info));
      ended = reap(work, program) || ended;
    }
    if ((watched[0].revents & POLLIN) != 0) {
      // The program may have ended in the same instant; the kernel's word comes first.
      reap(work, program);
      PYBOX_CRASHPOINT("keeper.timer-fired");
      send_message(work.fds.keeper_socket,
                   Message{started ? Say::TimerFired : Say::Expired, 0, 0, {}});
      ::_exit(0);
    }
    if (watched[2].revents != 0) {
      Message message;
      if (!receive_message(work.fds.keeper_socket, message)) {
        watched[2].fd = -1;
        boxd_is_gone = true;
      } else if (message.say == Say::Go) {
        started = true;
        PYBOX_CRASHPOINT("keeper.go");
        if (!work.plan->cuts.left_out("sup.timer")) arm(timer, Nanos(message.a));
      }
    }
  }
}

/// The program may go on as soon as it has the new root; the old one goes meanwhile.
void finish_root(const InsideWork& work) {
  if (!send_message(work.fds.root_socket_keeper, Message{Say::RootReady, 0, 0, {}}))
    give_up(work.fds.keeper_socket, "the program's process ended early");
  detach_old_root(work);
  PYBOX_CRASHPOINT("keeper.old-root-detached");
}

/// From here on the keeper only waits; it needs three descriptors and no right at all. What boxd is
/// to read goes there, and is closed here.
[[noreturn]] void give_up_rights_and_keep(const InsideWork& work, pid_t program, int timer,
                                          int children, int user_namespaces) {
  ::dup2(work.fds.keeper_socket, 3);
  ::dup2(timer, 4);
  ::dup2(children, 5);
  if (user_namespaces >= 0) ::dup2(user_namespaces, 6);
  ::close_range(user_namespaces >= 0 ? 7 : 6, ~0U, 0);
  for (int fd = 0; fd <= 2; ++fd) ::close(fd);
  InsideWork waiting = work;
  waiting.fds.keeper_socket = 3;
  if (!drop_every_capability() || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    give_up(3, "dropping the keeper's rights");
  ::prctl(PR_SET_DUMPABLE, work.plan->cuts.left_out("proc.dumpable0") ? 1 : 0);
  PYBOX_CRASHPOINT("keeper.rights-dropped");
  const int reaps = work.plan->cuts.left_out("sup.initreap") ? 0 : 1;
  const std::array<int, 2> handed_over = {4, 6};
  send_message(3, Message{Say::Keeping, 0, reaps, {}},
               std::span(handed_over).first(user_namespaces >= 0 ? 2 : 1));
  ::close(6);
  keep(waiting, program, 4, 5);
}

}  // namespace

void give_up(int socket, const char* doing) {
  send_message(socket, failure(errno, doing));
  ::_exit(1);
}

void keeper_main(const InsideWork& given) {
  InsideWork work = given;
  const BoxPlan& plan = *work.plan;
  const int socket = work.fds.keeper_socket;
  ::prctl(PR_SET_NAME, "keeper");
  if (!plan.cuts.left_out("proc.cleanenv")) wipe_environment();
  if (!plan.cuts.left_out("proc.closefds")) close_all_but_ours(work.fds);
  ::umask(0);  // modes of what the keeper makes are exact, whatever its caller's umask
  // Half a millisecond in which boxd makes the cgroup; hence here and not in the clone.
  if (::unshare(namespaces_to_make(plan)) != 0)
    give_up(socket, "making network, ipc and uts namespaces");
  PYBOX_CRASHPOINT("keeper.namespaces-made");
  std::array<int, kMostDescriptors> cgroup{};
  wait_until_mapped(work, cgroup);

  // These two act on the new namespaces, through the old /proc; never on those of boxd.
  const bool own_user = !plan.cuts.left_out("ns.user");
  if (own_user && !plan.cuts.left_out("cred.userns0")) write_sysctl(kUserNamespaces, "0");
  const int user_namespaces = own_user ? lifted(::open(kUserNamespaces, O_RDONLY | O_CLOEXEC)) : -1;
  const bool own_pids = !plan.cuts.left_out("ns.pid") && !plan.cuts.left_out("sec.memfd");
  if (own_pids) write_sysctl(kMemfdNoexec, "2");
  const bool memfd_noexec = own_pids && read_sysctl(kMemfdNoexec) == 2;

  // The timer exists before anything else does: a box whose boxd dies now still expires.
  const int timer = lifted(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  const int children = lifted(watch_children());
  if (timer < 0 || children < 0) give_up(socket, "making the box timer");
  if (!plan.cuts.left_out("sup.timer")) arm(timer, plan.expiry);
  PYBOX_CRASHPOINT("keeper.timer-armed");

  const pid_t program = clone_program(work);
  if (program < 0) give_up(socket, "starting the program's process in its cgroup");
  if (program == 0) program_main(work, memfd_noexec);
  PYBOX_CRASHPOINT("keeper.program-cloned");
  const RootParts parts = make_root_parts(work);
  PYBOX_CRASHPOINT("keeper.root-made");

  if (!plan.cuts.left_out("ns.uts") &&
      (::sethostname(kHostName, 5) != 0 || ::setdomainname("", 0) != 0)) {
    give_up(socket, "setting the host name");
  }
  // A control arm's keeper without a user namespace turns from real root into another id, and keeps
  // the right to mount.
  if (!own_user && !keep_over_change_of_ids()) give_up(socket, "keeping the right to mount");
  if (plan.ids.two_ids && !become(plan.ids.keeper, Groups::Drop))
    give_up(socket, "taking the keeper's ids");
  assemble_root(work, parts);
  PYBOX_CRASHPOINT("keeper.pivoted");
  finish_root(work);
  give_up_rights_and_keep(work, program, timer, children, user_namespaces);
}

}  // namespace pybox::box
