#pragma once
/// A world: one boxd, everything planted around it (docs/evidence.md "A probe"), and the boxes it
/// makes. The runner opens two for each engine, one with the released boxd for arms that leave
/// nothing out and one with boxd-campaign for the others, and sends them arm after arm. For a check
/// with `own_world` run() itself resumes the VM as it was saved, before any arm, first for the arm
/// and then again for whatever comes next; canary and places stay the same.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "campaign/model/check.hpp"
#include "receipt/report.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::campaign {

/// One arm's run. References and descriptor must outlive the call of World::run.
struct ArmOrder {
  const Check& check;  ///< image, timeout, inputs, return_files
  /// The whole text of the program: ASK, prelude, probe (made by run/program.hpp).
  std::string program;
  std::vector<std::string> removed;  ///< always empty in a Released world
  int cancel_fd = -1;                ///< readable: kill the arm; -1: never
};

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  /// Ends everything that belongs to it: processes, boxes, VM, planted things.
  virtual ~World() = default;

  /// 32 hex digits, made for this world, planted everywhere around its boxes.
  virtual const std::string& canary() const = 0;
  /// The object ASK["world"], as JSON. Does not change while the world lives.
  virtual std::string ask_world_json() const = 0;
  /// Runs one program in a fresh box. A report with `failure`, NotStarted or BoxLost is an answer.
  /// An Error means that the world is of no more use; the runner opens another for the next arm.
  virtual Result<RunReport> run(const ArmOrder& order) = 0;
  /// What the planted servers and decoys have noticed since the last call: "tcp 1", "process gone".
  virtual std::vector<std::string> take_witnesses() = 0;
};

/// Which boxd: the released one, which cannot leave anything out, or boxd-campaign.
enum class WorldBoxd { Released, Campaign };

struct WorldSettings {
  /// Where boxd, boxd-campaign and campaign-plant stand.
  std::filesystem::path programs;
  sys::StateDirs dirs;  ///< images, guest kernel, saved states
  int cancel_fd = -1;   ///< readable: stop waiting for a start
};

/// Starts one. Error kind HostCannot (with a hint): this host cannot run such a world; the checks
/// are then `unmet`. Any other kind: trouble, the arms are in error.
Result<std::unique_ptr<World>> open_world(EngineKind engine, WorldBoxd boxd,
                                          const WorldSettings& settings, Progress& progress);

}  // namespace pybox::campaign
