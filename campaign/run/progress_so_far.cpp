#include "campaign/run/progress_so_far.hpp"

#include "campaign/oracle/history.hpp"
#include "campaign/oracle/verdicts.hpp"

namespace pybox::campaign {

Result<Done> done_so_far(const Plan& plan, const std::vector<Event>& events, const Blobs& blobs) {
  Done done;
  if (events.empty()) return done;
  History history =
      PYBOX_TRY(history_of(plan, events.front().plan_sha256, events,
                           [&](const std::string& name) { return blobs.read(name); }));
  for (const Event& event : events) {
    if (event.kind != EventKind::ArmStarted) continue;
    const std::string id = event.check + "@" + std::string(name_of(event.engine));
    ++done.arms[{id, event.arm}].started;
  }
  for (const PlannedCheck& planned : plan.checks) {
    const std::string id = full_id(planned.check);
    if (history.unmet.contains(id)) done.unmet.insert(id);
    const auto found = history.attempts.find(id);
    if (found == history.attempts.end()) continue;
    for (const auto& [arm, attempts] : found->second) {
      ArmProgress& progress = done.arms[{id, arm}];
      progress.ended = static_cast<std::uint32_t>(attempts.size());
      for (const Attempted& made : attempts)
        progress.reached = progress.reached || signature_of(planned.check, made.record) == kReached;
    }
  }
  done.attempts = std::move(history.attempts);
  return done;
}

}  // namespace pybox::campaign
