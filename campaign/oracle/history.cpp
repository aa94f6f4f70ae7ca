#include "campaign/oracle/history.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace pybox::campaign {
namespace {

Error evidence(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

FullId full_id_of(const Event& event) {
  return event.check + "@" + std::string(name_of(event.engine));
}

/// Goes through the events once.
class Sorter {
 public:
  Sorter(const Plan& plan, const ReadBlob& read_blob) : read_blob_(read_blob) {
    for (const PlannedCheck& planned : plan.checks) planned_[full_id(planned.check)] = &planned;
  }

  Result<void> take(const Event& event) {
    switch (event.kind) {
      case EventKind::Started: return evidence("the campaign begins twice");
      case EventKind::Resumed: return {};
      case EventKind::ArmStarted: return begin(event);
      case EventKind::ArmEnded: return end(event);
      case EventKind::CheckUnmet: return unmet(event);
      case EventKind::Ended: history.ended = event; return {};
    }
    return {};
  }

  History history;

 private:
  Result<const PlannedCheck*> planned(const Event& event) const {
    const auto found = planned_.find(full_id_of(event));
    if (found == planned_.end())
      return evidence("`" + visible(full_id_of(event)) + "` was never planned");
    return found->second;
  }

  Result<void> begin(const Event& event) {
    const PlannedCheck* check = PYBOX_TRY(planned(event));
    const auto arm = std::find_if(check->arms.begin(), check->arms.end(),
                                  [&](const Arm& each) { return each.name == event.arm; });
    const std::string name = visible(event.arm) + " of " + full_id_of(event);
    if (arm == check->arms.end()) return evidence(name + " was never planned");
    if (arm->removed != event.removed)
      return evidence(name + " leaves out other protections than planned");
    if (event.nonce.empty() || !nonces_.insert(event.nonce).second)
      return evidence("the nonce of " + name + " is not its own");
    running_[event.nonce] = event;
    return {};
  }

  Result<void> end(const Event& event) {
    const auto began = running_.find(event.nonce);
    const std::string name = visible(event.arm) + " of " + visible(full_id_of(event));
    if (began == running_.end()) return evidence(name + " ends without a beginning");
    const Event& start = began->second;
    if (start.check != event.check || start.engine != event.engine || start.arm != event.arm ||
        start.attempt != event.attempt)
      return evidence(name + " ends under the nonce of another");
    history.attempts[full_id_of(event)][event.arm].push_back(
        PYBOX_TRY_CONTEXT(attempted(start, event, read_blob_), name));
    running_.erase(began);
    return {};
  }

  Result<void> unmet(const Event& event) {
    PYBOX_TRY(planned(event));
    history.unmet[full_id_of(event)] = event.reason;
    return {};
  }

  const ReadBlob& read_blob_;
  std::map<FullId, const PlannedCheck*> planned_;
  std::map<std::string, Event> running_;
  std::set<std::string> nonces_;
};

Result<std::string> blob(const std::optional<std::string>& name, const ReadBlob& read_blob) {
  if (!name) return std::string();
  return read_blob(*name);
}

}  // namespace

Result<Attempted> attempted(const Event& began, const Event& ended, const ReadBlob& read_blob) {
  Attempted made;
  Record& record = made.record;
  record.check = began.check;
  record.engine = began.engine;
  record.arm = began.arm;
  record.attempt = began.attempt;
  record.removed = began.removed;
  record.nonce = began.nonce;
  record.canary = began.canary;
  record.witnesses = ended.witnesses;
  record.duration = ended.duration;
  record.trouble = ended.trouble;
  record.out = PYBOX_TRY(blob(ended.out, read_blob));
  record.err = PYBOX_TRY(blob(ended.err, read_blob));
  if (ended.report) {
    const std::string text = PYBOX_TRY(read_blob(*ended.report));
    auto report = report_from_json(text);
    if (!report) return std::move(report).error().as(ErrorKind::Evidence).context("the report");
    record.report = std::move(report).value();
  }
  made.report = ended.report;
  made.out = ended.out;
  made.err = ended.err;
  return made;
}

Result<History> history_of(const Plan& plan, const std::string& plan_sha256,
                           const std::vector<Event>& events, const ReadBlob& read_blob) {
  if (events.empty() || events.front().kind != EventKind::Started)
    return evidence("events.jsonl does not begin with the start of a campaign");
  if (events.front().plan_sha256 != plan_sha256)
    return evidence("events.jsonl belongs to another plan");
  if (events.front().id != plan.id) return evidence("plan.json has another id than events.jsonl");
  Sorter sorter(plan, read_blob);
  sorter.history.started = events.front();
  for (std::size_t i = 1; i < events.size(); ++i) {
    // What comes after an end is a campaign that was resumed.
    sorter.history.ended.reset();
    PYBOX_TRY_CONTEXT(sorter.take(events[i]), "event " + std::to_string(i));
  }
  return std::move(sorter.history);
}

}  // namespace pybox::campaign
