#include "mcp/worker.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace pybox::mcp {

Result<sys::Fd> make_event() {
  sys::Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.is_open()) {
    return Error::from_errno(errno, "making an event").as(ErrorKind::HostCannot);
  }
  return event;
}

void raise_event(int fd) {
  const std::uint64_t one = 1;
  // It fails only when it is raised 2^64 times over, and is readable then.
  if (::write(fd, &one, sizeof one) < 0) return;
}

void clear_event(int fd) {
  std::uint64_t count = 0;
  if (::read(fd, &count, sizeof count) < 0) return;  // EAGAIN: it was not raised
}

Result<std::unique_ptr<Worker>> Worker::start(Job job, int done_fd) {
  sys::Fd cancel = PYBOX_TRY(make_event());
  std::unique_ptr<Worker> worker(new Worker(std::move(cancel)));
  Worker* self = worker.get();
  try {
    worker->thread_ = std::thread([self, job = std::move(job), done_fd] {
      self->outcome_ = job(self->cancel_.get());
      self->finished_.store(true, std::memory_order_release);
      raise_event(done_fd);
    });
  } catch (const std::system_error& fault) {
    return Error(ErrorKind::HostCannot, std::string("starting a thread: ") + fault.what());
  }
  return worker;
}

Worker::~Worker() {
  if (thread_.joinable()) thread_.join();
}

void Worker::cancel() const { raise_event(cancel_.get()); }

CallOutcome Worker::take() {
  thread_.join();
  return std::move(outcome_);
}

}  // namespace pybox::mcp
