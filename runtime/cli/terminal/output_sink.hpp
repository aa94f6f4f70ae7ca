#pragma once
/// The program's output on its way to the caller's stdout and stderr: byte for byte, or with every
/// control character made visible where it reaches a terminal.

#include <array>
#include <string>
#include <string_view>

#include "cli/terminal/terminal.hpp"

namespace pybox::cli {

/// visible() for a stream that comes in pieces: a character cut by a border is held back.
class VisibleStream {
 public:
  std::string feed(std::string_view bytes);
  /// What was held back: bytes that never became a character.
  std::string finish();

 private:
  std::string held_;
};

class OutputSink {
 public:
  /// `cancel_fd`: once readable, a reader that does not read is no longer waited for; -1: never.
  OutputSink(const Terminal& terminal, int cancel_fd);

  /// Writes bytes of stream 1 or 2. A reader that went away loses the rest, nothing else happens.
  void write(int stream, std::string_view bytes);
  /// Ends both streams.
  void finish();
  /// A terminal shows an unfinished line: what comes next should start with a newline.
  bool line_is_open() const { return line_is_open_; }

 private:
  struct Stream {
    int fd = -1;
    bool is_terminal = false;
    bool gone = false;
    VisibleStream visible;
  };
  void deliver(Stream& stream, std::string_view bytes);

  std::array<Stream, 2> streams_;
  int cancel_fd_;
  bool line_is_open_ = false;
};

}  // namespace pybox::cli
