#pragma once
/// One line of events.jsonl (docs/evidence.md).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/model/check.hpp"
#include "campaign/model/evidence.hpp"
#include "campaign/model/line_head.hpp"

namespace pybox::campaign {

enum class EventKind { Started, Resumed, ArmStarted, ArmEnded, CheckUnmet, Ended };

/// Which fields count depends on `kind`.
struct Event : LineHead {
  EventKind kind = EventKind::Started;

  // campaign-started
  std::string id;
  std::string plan_sha256;
  std::optional<PreviousRun> previous;
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> tools;

  // campaign-resumed: bytes of a torn last line that were cut off
  std::uint64_t torn_bytes = 0;

  // arm-started, arm-ended, check-unmet
  std::string check;
  EngineKind engine = EngineKind::Vm;
  ArmName arm;
  std::uint32_t attempt = 1;
  std::vector<std::string> removed;
  std::string nonce;
  std::string canary;
  std::optional<std::string> report, out, err;  ///< blobs
  std::vector<std::string> witnesses;
  Nanos duration{};
  std::string trouble;
  std::string reason;

  bool complete = false;  ///< campaign-ended
};

/// The line without its newline, RFC 8785.
Result<std::string> event_to_json(const Event& event);
/// Strict, as plan_from_json().
Result<Event> event_from_json(std::string_view line);

/// A whole events.jsonl: every line read, numbers and chain checked. Error kind Evidence, naming
/// the line.
/// A last line without its newline is torn, and an error.
Result<std::vector<Event>> read_events(std::string_view text);

/// Goes through a whole events.jsonl of any kind, which must hold: `take` reads a line and gives
/// its head; numbers and chain are checked. Errors as above.
Result<void> walk_lines(std::string_view text,
                        const std::function<Result<LineHead>(std::string_view line)>& take);

/// `prev` of the first line.
std::string no_line_before();

}  // namespace pybox::campaign
