#include "replay/play/player.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/join.hpp"
#include "base/text.hpp"

namespace pybox::replay {
namespace {

using campaign::Event;
using campaign::EventKind;

/// Lines of output that are shown of an arm; the rest is counted.
constexpr std::size_t kShownLines = 12;
constexpr std::size_t kShownWidth = 160;

std::string marker(const Event& event) {
  return fmt::format("\n▶ {}@{}  {}{}\n", visible(event.check), name_of(event.engine),
                     visible(event.arm),
                     event.removed.empty() ? "" : "  without " + visible(join(event.removed)));
}

std::string output(const std::optional<std::string>& name, const Evidence& evidence, char mark) {
  if (!name) return {};
  const auto found = evidence.blobs.find(*name);
  if (found == evidence.blobs.end()) return {};
  std::string text;
  std::size_t shown = 0;
  std::size_t more = 0;
  std::string_view rest = found->second;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.empty()) continue;
    if (++shown > kShownLines) {
      ++more;
      continue;
    }
    const std::string_view kept = cut_at_character(line.substr(0, kShownWidth));
    text += fmt::format("  {} {}{}\n", mark, visible(kept),
                        kept.size() < line.size() ? fmt::format(" … ({} bytes)", line.size()) : "");
  }
  if (more > 0) text += fmt::format("  {} … and {} lines more\n", mark, more);
  return text;
}

/// What the attempt was judged to show.
std::string judgement(const Event& event, const campaign::Evidence& judged) {
  for (const campaign::CheckResult& check : judged.checks) {
    if (check.id != event.check || check.engine != event.engine) continue;
    for (const campaign::ArmResult& arm : check.arms) {
      if (arm.arm != event.arm) continue;
      for (const campaign::AttemptResult& attempt : arm.attempts) {
        if (attempt.nonce != event.nonce) continue;
        return fmt::format("  = {}{}\n", visible(attempt.observed),
                           attempt.why.empty() ? "" : ": " + visible(attempt.why));
      }
    }
  }
  return "  = nothing that counts\n";
}

std::string text_of(const Event& event, const Evidence& evidence,
                    const campaign::Evidence& judged) {
  switch (event.kind) {
    case EventKind::Started:
      return fmt::format("campaign {}, {}\n", visible(event.id), visible(event.utc));
    case EventKind::Resumed: return "\n… interrupted, and resumed\n";
    case EventKind::ArmStarted: return marker(event);
    case EventKind::ArmEnded:
      return output(event.out, evidence, '|') + output(event.err, evidence, '!') +
             (event.trouble.empty() ? "" : "  trouble: " + visible(event.trouble) + "\n") +
             judgement(event, judged) +
             fmt::format("  {} after {}\n", visible(event.utc), human_seconds(event.duration));
    case EventKind::CheckUnmet:
      return fmt::format("\n– {}@{} was not run: {}\n", visible(event.check), name_of(event.engine),
                         visible(event.reason));
    case EventKind::Ended:
      return event.complete ? "\n■ the campaign ended\n" : "\n■ the campaign was interrupted\n";
  }
  return {};
}

}  // namespace

std::vector<Scene> scenes(const std::vector<Event>& events, const Evidence& evidence,
                          const campaign::Evidence& judged) {
  std::vector<Scene> shown;
  for (const Event& event : events) shown.push_back({event.at, text_of(event, evidence, judged)});
  return shown;
}

Result<void> play(const std::vector<Scene>& scenes, double speed,
                  const std::function<Result<void>(const std::string&)>& show,
                  const std::function<Result<void>(Nanos)>& wait) {
  Nanos last{};
  for (const Scene& scene : scenes) {
    if (speed > 0 && scene.at > last) {
      const Nanos pause = std::min(scene.at - last, kLongestPause);
      PYBOX_TRY(wait(from_seconds(seconds(pause) / speed)));
    }
    last = std::max(last, scene.at);
    PYBOX_TRY(show(scene.text));
  }
  return {};
}

}  // namespace pybox::replay
