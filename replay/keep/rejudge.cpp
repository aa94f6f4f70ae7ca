#include "replay/keep/rejudge.hpp"

#include "campaign/oracle/judge.hpp"

namespace pybox::replay {
namespace {

bool is_green(const campaign::Evidence& judged) { return judged.verdict == "held"; }

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

}  // namespace pybox::replay
