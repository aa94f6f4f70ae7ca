#pragma once
/// Bytes of stdin cut into lines, one JSON message each, with a bound on memory: of a line that is
/// too long nothing is kept, and the next line is read as if it had not been.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pybox::mcp {

/// The longest message that is read, without its newline.
constexpr std::size_t kMaxLineBytes = std::size_t{512} * 1024;

struct Line {
  bool too_long = false;
  std::string text;  ///< without newline and carriage return; empty when too long
};

/// Lines of nothing but white space are skipped; a byte order mark before the first line is too.
class LineReader {
 public:
  explicit LineReader(std::size_t limit = kMaxLineBytes) : limit_(limit) {}

  /// Keeps at most the limit and these bytes; call next() until it has no more.
  void feed(std::string_view bytes);
  std::optional<Line> next();
  /// At the end of input: the last line, when it had no newline.
  std::optional<Line> last();

 private:
  std::optional<Line> finish(std::string_view raw);

  std::size_t limit_;
  std::string buffer_;
  std::size_t start_ = 0;    ///< of the line that is being read
  std::size_t scanned_ = 0;  ///< no newline before this
  bool skipping_ = false;    ///< the rest of a line that was too long
  bool first_ = true;
};

}  // namespace pybox::mcp
