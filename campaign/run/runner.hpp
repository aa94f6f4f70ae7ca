#pragma once
/// Theory of operation: one arm after the other, each written down before it starts and after it
/// ended. Arms of probes run in the boxes of two worlds an engine (campaign/world), drivers as
/// processes on this host. A protected arm that came through is run three times more, each with a
/// fresh box and nonce. A signal ends the arm that runs, and the journal with it; `--resume` goes
/// on behind the last arm that ended.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

/// Whoever watches: cli/live.hpp draws.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;
  /// An arm begins; `done` of `total` planned arms are behind us.
  virtual void arm(const PlannedCheck& check, const Arm& arm, std::size_t done,
                   std::size_t total) = 0;
  /// Nothing runs yet: what is waited for ("starting a VM").
  virtual void waiting(std::string_view) {}
  /// A fact that should be known ("KVM does not work here").
  virtual void note(std::string_view) {}
  /// Everything of a check has been run, or it is unmet: what came of it.
  virtual void check_ended(const CheckResult& result) = 0;
};

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
/// `campaign-ended` either way. Error: evidence could not be written.
Result<bool> run_plan(const Plan& plan, const CheckSources& sources, const RunSettings& settings,
                      Journal& journal, Watcher& watcher);

}  // namespace pybox::campaign
