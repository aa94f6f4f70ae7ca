#pragma once
/// What the server tells the person who runs it, on stderr. A client may never read it: a line that
/// does not fit at once is dropped, and the next one says how many were.

#include <string_view>

namespace pybox::mcp {

class Log {
 public:
  /// `fd` is stderr; not owned.
  explicit Log(int fd) : fd_(fd) {}

  /// One line, escaped and cut so that one write takes it whole (man 7 pipe, PIPE_BUF). Never the
  /// words of a call: no program, no argument, no output.
  void line(std::string_view text);

 private:
  bool write(std::string_view text) const;

  int fd_;
  unsigned dropped_ = 0;
};

}  // namespace pybox::mcp
