#include "cli/terminal/process_setup.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace pybox::cli {

void prepare_process() {
  // open(2) takes the lowest free number, so asking in order fills the gaps.
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR);
  }
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

Result<CancelSignals> CancelSignals::watch() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&wanted, number);
    }
  }
  // Blocked signals stay pending, and the descriptor is readable as long as one is.
  if (::sigprocmask(SIG_BLOCK, &wanted, nullptr) != 0) {
    return Error::from_errno(errno, "blocking signals");
  }
  sys::Fd fd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.is_open()) return Error::from_errno(errno, "watching for signals");
  return CancelSignals(std::move(fd));
}

bool CancelSignals::came() const {
  pollfd one{fd_.get(), POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

}  // namespace pybox::cli
