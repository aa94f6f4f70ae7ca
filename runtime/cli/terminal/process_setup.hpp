#pragma once
/// Makes the process what the rest of PyBox counts on, whatever the caller left behind.

#include "base/result.hpp"
#include "sys/fd.hpp"

namespace pybox::cli {

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed (else the next file opened
/// would become our stdout), gives SIGCHLD its default (ignored, the kernel would reap our children
/// before we could: man 2 wait), ignores SIGPIPE (a reader that went away is an EPIPE), and
/// unblocks all signals. To be called before anything else.
void prepare_process();

/// From its making on, SIGINT, SIGTERM and SIGHUP no longer end the process but make fd() readable,
/// except those the caller ignored (nohup, background jobs of scripts). Threads made later inherit
/// this; children started with sys::spawn do not.
class CancelSignals {
 public:
  static Result<CancelSignals> watch();
  int fd() const { return fd_.get(); }
  /// Whether one has come.
  bool came() const;

 private:
  explicit CancelSignals(sys::Fd fd) : fd_(std::move(fd)) {}
  sys::Fd fd_;
};

}  // namespace pybox::cli
