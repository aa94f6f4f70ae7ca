#include "vm/end_signals.hpp"

#include <signal.h>
#include <sys/signalfd.h>

#include <cerrno>

namespace pybox::vm {

Result<sys::Fd> take_end_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  sys::Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.is_open()) return Error::from_errno(errno, "waiting for signals");
  return fd;
}

}  // namespace pybox::vm
