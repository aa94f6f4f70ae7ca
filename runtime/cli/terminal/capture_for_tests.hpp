#pragma once
/// Catches what is written to stdout and stderr, for tests of whole commands.

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "sys/fd.hpp"

namespace pybox::cli {

/// From its making to stop(), descriptors 1 and 2 are files in memory. Nothing may be CHECKed in
/// between: the test framework prints to the same descriptors.
class Captured {
 public:
  Captured() {
    ::signal(SIGPIPE, SIG_IGN);  // as prepare_process() does
    std::fflush(nullptr);
    for (int i = 0; i < 2; ++i) {
      saved_[i] = sys::Fd(::fcntl(i + 1, F_DUPFD_CLOEXEC, 10));
      file_[i] = sys::Fd(::memfd_create("captured", MFD_CLOEXEC));
      ::dup2(file_[i].get(), i + 1);
    }
  }
  ~Captured() { stop(); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  void stop() {
    for (int i = 0; i < 2; ++i) {
      if (!saved_[i].is_open()) continue;
      ::dup2(saved_[i].get(), i + 1);
      saved_[i].reset();
    }
  }
  std::string out() const { return content(0); }
  std::string err() const { return content(1); }

 private:
  std::string content(int i) const {
    ::lseek(file_[i].get(), 0, SEEK_SET);
    auto text = sys::read_to_end(file_[i].get(), 1U << 24U);
    return text ? *text : text.error().message();
  }
  sys::Fd saved_[2];
  sys::Fd file_[2];
};

}  // namespace pybox::cli
