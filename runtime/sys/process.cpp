#include "sys/process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>

#include "base/clock.hpp"
#include "sys/syscalls.hpp"

namespace pybox::sys {
namespace {

/// The processes that were let go, kept by the kernel: an epoll that owns their pidfds. The kernel
/// has one table of our children, whatever part of us started them, so this is one for the process.
int let_go() {
  static const int kList = ::epoll_create1(EPOLL_CLOEXEC);
  return kList;
}

}  // namespace

Child::~Child() {
  if (pid_ <= 0) return;
  (void)signal(SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED) != 0 &&
         errno == EINTR) {
  }
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  return *this;
}

Result<void> Child::signal(int number) const {
  if (pid_ <= 0) return {};
  if (pidfd_send_signal(pidfd_.get(), number) != 0 && errno != ESRCH) {
    return Error::from_errno(errno, "signalling a child process");
  }
  return {};
}

Result<std::optional<WaitStatus>> Child::wait(Nanos patience) {
  const Nanos deadline = monotonic_now() + patience;
  pollfd ended{pidfd_.get(), POLLIN, 0};
  for (;;) {
    const timespec timeout = to_timespec(deadline - monotonic_now());
    const int ready = ::ppoll(&ended, 1, &timeout, nullptr);
    if (ready == 0) return std::optional<WaitStatus>{};
    if (ready > 0) break;
    if (errno != EINTR) return Error::from_errno(errno, "waiting for a child process");
  }
  siginfo_t info{};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED) != 0) {
    if (errno != EINTR) return Error::from_errno(errno, "reaping a child process");
  }
  pid_ = -1;
  pidfd_.reset();
  return std::optional(WaitStatus{info.si_code != CLD_EXITED, info.si_status});
}

void Child::disown() {
  // Once: of two threads that reap at the same time only one is told of it.
  epoll_event ended{.events = EPOLLIN | EPOLLONESHOT, .data = {.fd = pidfd_.get()}};
  if (::epoll_ctl(let_go(), EPOLL_CTL_ADD, pidfd_.get(), &ended) == 0) {
    (void)pidfd_.release();
  }
  pid_ = -1;
  pidfd_.reset();
}

void reap_let_go() {
  std::array<epoll_event, 16> ended{};
  int count = 0;
  do {
    count = ::epoll_wait(let_go(), ended.data(), static_cast<int>(ended.size()), 0);
    for (int i = 0; i < count; ++i) {
      const Fd pidfd(ended[static_cast<std::size_t>(i)].data.fd);
      siginfo_t ignored{};
      (void)::waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &ignored, WEXITED | WNOHANG);
      // Closing it would not do while a process that is just being started holds a copy.
      (void)::epoll_ctl(let_go(), EPOLL_CTL_DEL, pidfd.get(), nullptr);
    }
  } while (count == static_cast<int>(ended.size()));
}

int let_go_fd() { return let_go(); }

}  // namespace pybox::sys
