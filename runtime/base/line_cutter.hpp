#pragma once
/// Cuts a stream of bytes into lines, with a bound on memory.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pybox {

class LineCutter {
 public:
  /// Of a longer line only so much is kept.
  explicit LineCutter(std::size_t limit) : limit_(limit) {}

  void feed(std::string_view bytes);
  /// The next whole line, without its newline or carriage return.
  std::optional<std::string> next();

 private:
  std::size_t limit_;
  std::string buffer_;
};

}  // namespace pybox
