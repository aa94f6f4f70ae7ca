#include "campaign/world/witnesses.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"

namespace pybox::campaign {
namespace {

constexpr std::size_t kMaxLine = 8192;
constexpr std::array<std::string_view, 12> kKinds = {"tcp",    "tcp6",     "udp",     "metadata",
                                                     "host",   "abstract", "unix",    "vsock",
                                                     "victim", "hostname", "process", "roots"};
/// More than any arm can cause; a larger number was not ours.
constexpr std::uint64_t kMostAtOnce = 1'000'000'000;

/// One object, printable and in one line: what AskWorld::json makes.
bool looks_like_an_object(std::string_view text) {
  return text.size() >= 2 && text.front() == '{' && text.back() == '}' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

void Witnesses::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    too_long_ = too_long_ || partial_.size() + part.size() > kMaxLine;
    if (!too_long_) partial_ += part;
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    if (!partial_.empty() && partial_.back() == '\r') partial_.pop_back();
    if (!too_long_) take_line(partial_);
    partial_.clear();
    too_long_ = false;
  }
}

void Witnesses::take_line(std::string_view line) {
  if (!line.starts_with(prefix_)) return;
  line.remove_prefix(prefix_.size());
  const std::string_view word = take_until(line, ' ');
  if (word == "noticed") return take_notice(line);
  if (word == "failed" && failure_.empty()) failure_ = visible(line);
  if (word == "planted" && !planted_ && looks_like_an_object(line)) planted_ = std::string(line);
}

void Witnesses::take_notice(std::string_view rest) {
  const std::string_view kind = take_until(rest, ' ');
  std::uint64_t count = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end() || problem != std::errc() ||
      end != rest.data() + rest.size() || count == 0 || count > kMostAtOnce) {
    return;
  }
  process_gone_ = process_gone_ || kind == "process";
  counts_[std::string(kind)] += count;
}

std::vector<std::string> Witnesses::take() {
  std::vector<std::string> lines;
  for (const auto& [kind, count] : counts_)
    lines.push_back(kind == "process" ? "process gone" : kind + " " + std::to_string(count));
  counts_.clear();
  return lines;
}

}  // namespace pybox::campaign
