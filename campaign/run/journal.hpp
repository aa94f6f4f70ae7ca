#pragma once
/// events.jsonl: appended to, a line at a time, each line on the disk before the next thing is
/// done; each carries the digest of the line before it.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/event.hpp"
#include "campaign/run/chained_lines.hpp"

namespace pybox::campaign {

class Journal {
 public:
  /// A new one. Error kind Refused when DIR/events.jsonl is there already.
  static Result<Journal> create(const std::filesystem::path& folder);
  /// Goes on with one that was interrupted: reads and checks what is there and takes the
  /// clock up where it stopped. A torn last line is cut off by the first append. Error kind
  /// Evidence when the chain does not hold.
  static Result<Journal> resume(const std::filesystem::path& folder);

  /// Fills in number, digest and times, and writes the line.
  Result<void> append(Event event);

  /// What was in it when it was resumed, without a torn line.
  const std::vector<Event>& before() const { return before_; }
  std::uint64_t torn_bytes() const { return torn_bytes_; }

 private:
  explicit Journal(ChainedLines lines) : lines_(std::move(lines)) {}
  Result<void> cut_torn_line();

  ChainedLines lines_;
  std::vector<Event> before_;
  std::uint64_t torn_bytes_ = 0;
  std::optional<std::uint64_t> whole_;  ///< where whole lines end, until something was appended
};

}  // namespace pybox::campaign
