#pragma once
/// Reads every protection of a sealed box back from the kernel, from outside, before the program's
/// first instruction. What each name stops and how it is read: box/protection.hpp.

#include <cstddef>
#include <optional>
#include <vector>

#include "box/box.hpp"
#include "box/process_view.hpp"
#include "receipt/report.hpp"

namespace pybox::box {

/// A read-back in three steps, each as early as what it reads is final, so that little of it stands
/// between a box that is ready and its program.
class SealReading {
 public:
  /// While the box's processes build it: the limits of its cgroup, boxd's own namespaces.
  explicit SealReading(Box& box);
  /// Everything of the program's process, which must be blocked waiting for Start, but its mounts.
  void read_program(const SealedNotice& notice);
  /// The mounts, final once the keeper has spoken; what it said and handed over (Say::Keeping) and
  /// what can be seen of it. `verified` is true when every check is ok. Precondition: the program
  /// was read.
  Seal finish(const KeeperNotice& keeper);

 private:
  void check_handed_over(const KeeperNotice& keeper);
  void check_keeper(const Message& said);

  Box& box_;
  std::vector<SealCheck> limits_;
  std::optional<ProcessView> program_;
  std::size_t mounts_at_ = 0;  ///< where the checks of the mounts go
  Seal seal_;
};

}  // namespace pybox::box
