#include "replay/keep/rejudge.hpp"

#include "campaign/oracle/judge.hpp"

namespace pybox::replay {
namespace {

bool is_green(const campaign::Evidence& judged) { return judged.verdict == "held"; }

Noticed outcome_of(const Mutation& mutation, const Evidence& falsified, const std::string& today) {
  Noticed noticed{&mutation, true, false, {}};
  auto judged = judge(falsified);
  if (!judged) {
    noticed.noticed = true;
    noticed.how = "refused: " + judged.error().message();
    return noticed;
  }
  auto other = expectation(*judged);
  if (!other) {
    noticed.noticed = true;
    noticed.how = "refused: " + other.error().message();
    return noticed;
  }
  for (const Drift& drift : drifts(today, *other)) {
    const bool is_verdict = drift.kind == DriftKind::Verdict;
    if (mutation.must_change_verdict && !is_verdict) continue;
    noticed.noticed = true;
    noticed.how = std::string(name_of(drift.kind)) + ": " + drift.what;
    break;
  }
  return noticed;
}

}  // namespace

Result<campaign::Evidence> judge(const Evidence& evidence) {
  const campaign::ReadBlob read = [&](const std::string& name) -> Result<std::string> {
    const auto found = evidence.blobs.find(name);
    if (found == evidence.blobs.end())
      return Error(ErrorKind::Evidence, "the blob " + name + " is missing");
    return found->second;
  };
  return campaign::judge(evidence.plan, evidence.events, read);
}

Result<Rejudged> rejudge(const Recording& recording) {
  Rejudged made;
  made.events = PYBOX_TRY(campaign::read_events(recording.evidence.events));
  made.judged = PYBOX_TRY(judge(recording.evidence));
  made.today = PYBOX_TRY(expectation(made.judged));
  made.drifts = drifts(recording.expect, made.today);
  const bool must_be_red = recording.meta.must == Must::StayRed;
  if (must_be_red == is_green(made.judged)) {
    made.drifts.insert(
        made.drifts.begin(),
        {DriftKind::Verdict,
         must_be_red ? "this recording must stay red, and it is green"
                     : "this recording must stay green, and it is " + made.judged.verdict});
  }
  return made;
}

Result<std::vector<Noticed>> mutate(const Recording& recording) {
  const Rejudged original = PYBOX_TRY(rejudge(recording));
  std::vector<Noticed> all;
  for (const Mutation& mutation : mutations()) {
    const auto falsified = mutation.apply(recording.evidence);
    all.push_back(falsified ? outcome_of(mutation, *falsified, original.today)
                            : Noticed{&mutation, false, false, "nothing of the kind in it"});
  }
  return all;
}

}  // namespace pybox::replay
