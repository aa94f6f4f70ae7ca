/// Only in boxd-campaign: a keeper whose box shares the mount namespace of a process outside.

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "box/maker.hpp"

namespace pybox::box {
namespace {

/// What the stand-in has in the keeper's place, and the keeper shares.
constexpr unsigned long long kShared = CLONE_NEWNS | CLONE_NEWUSER;

[[noreturn]] void stand_in_main(const InsideWork& work, unsigned long long flags, int socket) {
  ::prctl(PR_SET_NAME, "stand-in");
  int pidfd = -1;
  clone_args args{};
  // boxd's child, as ever: boxd waits for it. Its signal is then the stand-in's (man 2 clone).
  args.flags = (flags & ~kShared) | CLONE_PARENT;
  args.pidfd = static_cast<__u64>(reinterpret_cast<std::uintptr_t>(&pidfd));
  const pid_t keeper = sys::clone3(args);
  if (keeper == 0) keeper_main(work);
  if (keeper < 0) give_up(socket, "cloning the keeper");
  if (!send_message(socket, Message{Say::Cloned, keeper, 0, {}}, std::span(&pidfd, 1))) ::_exit(1);
  // Nothing of boxd's may stay open here: its end must be seen by others.
  ::dup2(socket, 0);
  ::close_range(1, ~0U, 0);
  (void)!::chdir("/");
  Message none;
  while (receive_message(0, none)) {
  }
  ::_exit(0);
}

}  // namespace

pid_t Maker::clone_keeper(const InsideWork& work, clone_args& args) {
  if (work.plan->cuts.left_out("ns.mnt")) return clone_by_stand_in(work, args);
  const pid_t pid = sys::clone3(args);
  if (pid == 0) keeper_main(work);
  return pid;
}

pid_t Maker::clone_by_stand_in(const InsideWork& work, clone_args& args) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return -1;
  socket_ = sys::Fd(ends[0]);
  const sys::Fd theirs(ends[1]);
  int pidfd = -1;
  clone_args stand_in{};
  stand_in.flags = (args.flags & kShared) | CLONE_PIDFD;
  stand_in.pidfd = static_cast<__u64>(reinterpret_cast<std::uintptr_t>(&pidfd));
  stand_in.exit_signal = SIGCHLD;
  const pid_t pid = sys::clone3(stand_in);
  if (pid == 0) stand_in_main(work, args.flags, theirs.get());
  if (pid < 0) return -1;
  stand_in_ = sys::Child(pid, sys::Fd(pidfd));
  Message said;
  int keeper_pidfd = -1;
  std::size_t came = 0;
  if (!receive_message(socket_.get(), said, SCM_RIGHTS,
                       std::as_writable_bytes(std::span(&keeper_pidfd, 1)), came) ||
      said.say != Say::Cloned || came != sizeof(keeper_pidfd)) {
    errno = said.say == Say::Failed && said.a > 0 ? static_cast<int>(said.a) : EPROTO;
    return -1;
  }
  *reinterpret_cast<int*>(args.pidfd) = keeper_pidfd;
  return static_cast<pid_t>(said.a);
}

}  // namespace pybox::box
