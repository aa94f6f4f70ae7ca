#pragma once
/// A recording judged by today's oracles.

#include "campaign/model/event.hpp"
#include "campaign/model/evidence.hpp"
#include "replay/keep/expectation.hpp"
#include "replay/keep/mutations.hpp"
#include "replay/keep/recording.hpp"

namespace pybox::replay {

/// Of any evidence, also a falsified one. Errors of kind Evidence: it does not hold together.
Result<campaign::Evidence> judge(const Evidence& evidence);

struct Rejudged {
  std::vector<campaign::Event> events;
  campaign::Evidence judged;
  std::string today;          ///< what expect.json would be
  std::vector<Drift> drifts;  ///< also a red recording that turned green, whatever expect.json says
};
Result<Rejudged> rejudge(const Recording& recording);

/// What became of a mutation.
struct Noticed {
  const Mutation* mutation = nullptr;
  bool applies = false;
  bool noticed = false;
  std::string how;  ///< the refusal, or the first drift
};
/// Applies each of them to a recording that judges as expected.
Result<std::vector<Noticed>> mutate(const Recording& recording);

}  // namespace pybox::replay
