#include "box/filter_readback.hpp"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>

namespace pybox::box {
namespace {

/// Detaches whatever happens: a tracee left stopped would be a box that never starts.
class Traced {
 public:
  explicit Traced(pid_t pid) : pid_(pid) {}
  ~Traced() { ::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr); }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

 private:
  pid_t pid_;
};

}  // namespace

Result<std::vector<sock_filter>> read_filter_of(pid_t pid) {
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0)
    return Error::from_errno(errno, "seizing the process");
  const Traced traced(pid);
  if (::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) != 0)
    return Error::from_errno(errno, "stopping the process");
  int status = 0;
  while (::waitpid(pid, &status, __WALL) < 0) {
    if (errno != EINTR) return Error::from_errno(errno, "waiting for the process to stop");
  }
  if (!WIFSTOPPED(status)) return Error(ErrorKind::Io, "the process ended");
  const long size = ::ptrace(PTRACE_SECCOMP_GET_FILTER, pid, nullptr, nullptr);
  if (size < 0) return Error::from_errno(errno, "reading the filter's size");
  std::vector<sock_filter> filter(static_cast<std::size_t>(size));
  if (::ptrace(PTRACE_SECCOMP_GET_FILTER, pid, nullptr, filter.data()) != size) {
    return Error::from_errno(errno, "reading the filter");
  }
  return filter;
}

}  // namespace pybox::box
