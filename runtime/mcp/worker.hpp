#pragma once
/// Theory of operation: the server's own thread reads, answers and writes; each run of a program
/// waits for its engine in a thread of its own. A worker thread touches neither stdin nor stdout
/// nor anything of the session: it gets a job, may be told to cancel through a descriptor, and
/// leaves one result. The session's thread is woken through an eventfd, joins, and takes the
/// result, so whether a call finished or was cancelled is decided in one thread and in one order.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/result.hpp"
#include "sys/fd.hpp"

namespace pybox::mcp {

/// What a call comes to.
struct CallOutcome {
  std::string body;  ///< the members of a CallToolResult, without braces
  std::string log;   ///< one line about the run's end, for stderr: "CANCEL_KILL_OBSERVED, REMOVED"
};

class Worker {
 public:
  /// `cancel_fd` becomes readable when the job should stop.
  using Job = std::function<CallOutcome(int cancel_fd)>;

  /// Starts the thread. `done_fd` is an eventfd that outlives the worker. Error kind HostCannot:
  /// the host has no thread or descriptor left.
  static Result<std::unique_ptr<Worker>> start(Job job, int done_fd);
  /// Waits for the thread.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void cancel() const;
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  /// Precondition: finished().
  CallOutcome take();

 private:
  explicit Worker(sys::Fd cancel) : cancel_(std::move(cancel)) {}

  sys::Fd cancel_;
  CallOutcome outcome_;
  std::atomic<bool> finished_{false};
  std::thread thread_;
};

/// An eventfd, non-blocking.
Result<sys::Fd> make_event();
void raise_event(int fd);
void clear_event(int fd);

}  // namespace pybox::mcp
