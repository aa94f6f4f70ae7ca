#include "base/line_cutter.hpp"

#include <algorithm>

namespace pybox {

void LineCutter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::size_t begun = buffer_.size() - (buffer_.rfind('\n') + 1);
    buffer_ += bytes.substr(0, std::min(end, limit_ - std::min(limit_, begun)));
    if (end < bytes.size()) buffer_ += '\n';
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

std::optional<std::string> LineCutter::next() {
  const std::size_t end = buffer_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace pybox
