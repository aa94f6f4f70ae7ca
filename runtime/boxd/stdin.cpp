/// The program's stdin: bytes from the engine, written as fast as the program reads, acknowledged
/// as they go, so that an endless stdin costs a bounded buffer.

#include <unistd.h>

#include <cerrno>

#include "boxd/run.hpp"

namespace pybox::boxd {

void Run::feed_stdin(std::string_view bytes) {
  if (bytes.empty()) stdin_ended_ = true;
  stdin_waiting_ += bytes;
  write_stdin();
}

void Run::write_stdin() {
  std::size_t taken = 0;
  while (stdin_.is_open() && taken < stdin_waiting_.size()) {
    const ssize_t n =
        ::write(stdin_.get(), stdin_waiting_.data() + taken, stdin_waiting_.size() - taken);
    if (n > 0)
      taken += static_cast<std::size_t>(n);
    else if (errno == EAGAIN)
      break;
    else if (errno != EINTR)
      stdin_.reset();  // the program closed its stdin: the rest goes nowhere
  }
  if (!stdin_.is_open()) taken = stdin_waiting_.size();
  stdin_waiting_.erase(0, taken);
  if (taken > 0 && listener_.stdin_taken && !orphaned_) listener_.stdin_taken(taken);
  if (stdin_ended_ && stdin_waiting_.empty()) stdin_.reset();
}

}  // namespace pybox::boxd
