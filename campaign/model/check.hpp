#pragma once
/// A check: one claim about PyBox, the small program that tries to break it, and what every arm of
/// the attempt must show. Checks are data (campaign/checks/AREA/*.toml, see docs/evidence.md);
/// this is their shape once read.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "request/request.hpp"

namespace pybox::campaign {

/// How an arm is called in plans, events and reports.
///   protected   every protection on, by the released boxd
///   control     the whole cut set left out, by boxd-campaign
///   only:NAME   the cut set left out but for NAME (cut sets of two and more)
///   benign      the legitimate use next door, every protection on
using ArmName = std::string;
inline const std::string kProtected = "protected";
inline const std::string kControl = "control";
inline const std::string kOnly = "only:";
inline const std::string kBenign = "benign";

/// What an arm showed, in one word that can be compared: "reached", an errno name
/// ("ECONNREFUSED"), or what an oracle calls it ("oom", "timeout", …). An attack that came through
/// is always called "reached".
using Signature = std::string;
inline constexpr const char* kReached = "reached";

/// The answers that fit an arm; any one of them will do.
using Expected = std::map<ArmName, std::vector<Signature>>;

struct Check {
  std::string id;     ///< "net.loopback": unique, the name reports and diffs go by
  std::string area;   ///< "restrictions", "resources", …: the folder it stands in
  std::string group;  ///< "Network": the heading in reports
  std::string claim;  ///< one sentence that is true while the check holds
  EngineKind engine = EngineKind::Vm;  ///< a check for both engines is two Checks
  /// In-box probe: file below adversarial/programs/probes, run behind its prelude. Empty for a
  /// driver.
  std::string probe;
  /// Host-side driver: file below campaign/checks/drivers. Empty for a probe.
  std::string driver;
  std::string benign;      ///< probe of the benign arm; empty: no such arm
  std::string ask = "{}";  ///< JSON object handed to probe or driver as ASK["args"]
  /// Protections the control arm leaves out; never empty for a probe. A driver may have none: its
  /// control arm then is whatever the driver does for `arm` "control", and proves no protection.
  std::vector<std::string> cut;
  std::string oracle = "probe";  ///< name of the pure function that turns a record into a signature
  /// "reached" counts only with the canary of the arm's world in the probe's proof.
  bool needs_canary = false;
  /// Each arm in a world of its own, thrown away afterwards: for what would spoil the next arm
  /// (clock, host name, a filled disk). Only on the vm engine.
  bool own_world = false;
  Expected expected;
  /// What the control arm shows where the kernel or processor has no such thing: not-applicable.
  std::vector<Signature> absent;
  std::vector<std::string> needs;  ///< what the host must have ("cgroup-v2", "swap", …)
  std::string image = "stdlib";
  Nanos timeout = std::chrono::seconds(10);
  std::vector<InputFile> inputs;
  bool return_files = false;
};

/// "net.loopback@native": how one of the two is addressed where the engine matters.
std::string full_id(const Check& check);

/// What fits an arm of the check; empty: anything but `reached` (only an `only:` arm may say so).
std::vector<Signature> expected_of(const Check& check, const ArmName& arm);

/// Every arm of the check; each names what it leaves out.
struct Arm {
  ArmName name;
  std::vector<std::string> removed;
};
std::vector<Arm> arms_of(const Check& check);

}  // namespace pybox::campaign
