#include "mcp/lines.hpp"

namespace pybox::mcp {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// What JSON calls white space (RFC 8259 section 2), without the newline that ends a line.
constexpr std::string_view kBlank = " \t\r";

}  // namespace

void LineReader::feed(std::string_view bytes) {
  if (skipping_) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) return;
    skipping_ = false;
    bytes.remove_prefix(newline + 1);
  }
  buffer_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  buffer_ += bytes;
}

std::optional<Line> LineReader::next() {
  while (true) {
    const std::size_t newline = buffer_.find('\n', scanned_);
    if (newline == std::string::npos) {
      scanned_ = buffer_.size();
      // One more for the carriage return that may end it.
      if (buffer_.size() - start_ <= limit_ + 1) return std::nullopt;
      buffer_.clear();
      start_ = scanned_ = 0;
      skipping_ = true;
      first_ = false;
      return Line{true, {}};
    }
    const std::string_view raw = std::string_view(buffer_).substr(start_, newline - start_);
    start_ = scanned_ = newline + 1;
    if (auto line = finish(raw)) return line;
  }
}

std::optional<Line> LineReader::last() {
  const std::string raw = buffer_.substr(start_);
  buffer_.clear();
  start_ = scanned_ = 0;
  return skipping_ ? std::nullopt : finish(raw);
}

std::optional<Line> LineReader::finish(std::string_view raw) {
  if (first_ && raw.starts_with(kByteOrderMark)) raw.remove_prefix(kByteOrderMark.size());
  if (raw.find_first_not_of(kBlank) == std::string_view::npos) return std::nullopt;
  first_ = false;
  if (raw.ends_with('\r')) raw.remove_suffix(1);
  if (raw.size() > limit_) return Line{true, {}};
  return Line{false, std::string(raw)};
}

}  // namespace pybox::mcp
