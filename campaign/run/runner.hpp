#pragma once
/// Theory of operation: one arm after the other, each written down before it starts and after it
/// ended. Arms of probes run in the boxes of two worlds an engine (campaign/world), drivers as
/// processes on this host. A protected arm that came through is run three times more, each with a
/// fresh box and nonce. A signal ends the arm that runs, and the journal with it; `--resume` goes
/// on behind the last arm that ended.

#include <filesystem>
#include <functional>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "campaign/model/evidence.hpp"
#include "campaign/model/plan.hpp"
#include "campaign/model/sources.hpp"
#include "campaign/run/driver_home.hpp"
#include "campaign/run/host_facts.hpp"
#include "campaign/run/journal.hpp"
#include "campaign/run/redact.hpp"
#include "campaign/run/worlds.hpp"

namespace pybox::campaign {

/// Hears what came of a check when everything of it has been run, or it is unmet.
using CheckEnded = std::function<void(const CheckResult& result)>;

/// How often a protected arm that came through is run again.
constexpr std::uint32_t kRepeats = 3;

struct RunSettings {
  std::filesystem::path folder;    ///< the evidence folder; plan.json stands in it
  std::filesystem::path programs;  ///< where pybox, boxd and the others stand
  std::filesystem::path source;    ///< the source tree; empty where there is none
  sys::StateDirs dirs;
  HostFacts host;
  OpenWorld open_world;
  Redactor redactor = Redactor({});  ///< everything that is written goes through it
  int cancel_fd = -1;                ///< readable: end
};

/// True: every planned arm has been run or is unmet; false: it was cancelled. The journal ends with
/// `campaign-ended` either way. `progress`: a stage for each area, advanced by arms. Error:
/// evidence could not be written.
Result<bool> run_plan(const Plan& plan, const CheckSources& sources, const RunSettings& settings,
                      Journal& journal, Progress& progress, const CheckEnded& check_ended);

}  // namespace pybox::campaign
