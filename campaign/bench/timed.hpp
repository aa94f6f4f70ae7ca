#pragma once
/// One process from before it is started until it has been reaped, by the monotonic clock. Its
/// output is read while it runs, so that it never waits for us.

#include <functional>
#include <string>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/process.hpp"

namespace pybox::campaign {

struct TimedRun {
  Nanos took{};
  sys::WaitStatus status;
  std::string out, err;  ///< at most 64 KiB of each
  bool timed_out = false;
  bool cancelled = false;

  bool ended_well() const {
    return !timed_out && !cancelled && !status.by_signal && status.code == 0;
  }
};

/// Starts it with these descriptors as stdout and stderr.
using StartProcess = std::function<Result<sys::Child>(int out, int err)>;

struct TimedOrder {
  StartProcess start;
  Nanos patience{};    ///< past it, it is told to stop
  int cancel_fd = -1;  ///< readable: it is told to stop
  /// What tells it. One that has not ended 15 s later is killed.
  int stop_signal = 0;
};

/// Error: it could not be started or waited for.
Result<TimedRun> time_process(const TimedOrder& order);

/// How it ended otherwise than well, with the end of what it wrote to stderr.
std::string trouble_of(const TimedRun& run);

}  // namespace pybox::campaign
