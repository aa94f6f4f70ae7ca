#pragma once
/// boxd's event loop: frames in, boxes made and watched, frames out. One thread.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "receipt/report.hpp"
#include "sys/cgroup.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::boxd {

struct ServerPlan {
  sys::Fd link;  ///< to the engine; made non-blocking
  sys::CgroupHost cgroup;
  std::map<std::string, std::filesystem::path> images;  ///< in a guest: image id to its root
  std::filesystem::path empty;  ///< a folder that stays empty (box/rootfs.cpp)
  /// Native: where the record of a run goes whose client died; the link's end ends the server once
  /// its last box is gone. Guest: absent; the supervisor keeps such records and the link outlives
  /// clients.
  std::optional<sys::StateDirs> pending;
};

/// Serves until the link's end (native) or a Shutdown frame (guest). Boxes left over by a boxd that
/// was killed are swept first.
Result<void> serve(ServerPlan plan);

}  // namespace pybox::boxd
