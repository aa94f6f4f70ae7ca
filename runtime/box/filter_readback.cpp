#include "box/filter_readback.hpp"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>

namespace pybox::box {

FilterReader::FilterReader(pid_t pid) : pid_(pid), asked_(ask_to_stop()) {}

FilterReader::~FilterReader() {
  if (seized_) ::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr);
}

Result<void> FilterReader::ask_to_stop() {
  if (::ptrace(PTRACE_SEIZE, pid_, nullptr, nullptr) != 0)
    return Error::from_errno(errno, "seizing the process");
  seized_ = true;
  if (::ptrace(PTRACE_INTERRUPT, pid_, nullptr, nullptr) != 0)
    return Error::from_errno(errno, "stopping the process");
  return {};
}

Result<std::vector<sock_filter>> FilterReader::read() {
  PYBOX_TRY(std::move(asked_));
  int status = 0;
  while (::waitpid(pid_, &status, __WALL) < 0) {
    if (errno != EINTR) return Error::from_errno(errno, "waiting for the process to stop");
  }
  if (!WIFSTOPPED(status)) return Error(ErrorKind::Io, "the process ended");
  const long size = ::ptrace(PTRACE_SECCOMP_GET_FILTER, pid_, nullptr, nullptr);
  if (size < 0) return Error::from_errno(errno, "reading the filter's size");
  std::vector<sock_filter> filter(static_cast<std::size_t>(size));
  if (::ptrace(PTRACE_SECCOMP_GET_FILTER, pid_, nullptr, filter.data()) != size) {
    return Error::from_errno(errno, "reading the filter");
  }
  return filter;
}

}  // namespace pybox::box
