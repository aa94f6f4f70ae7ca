#pragma once
/// What a VM says of itself: the answer to `pybox vm status` and to a client before its run.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "link/control.hpp"

namespace pybox::vm {

struct Status {
  bool running = false;
  /// The rest is meaningful when running.
  std::uint64_t pid = 0;  ///< of the supervisor
  std::uint64_t qemu_pid = 0;
  std::string accelerator;  ///< "kvm" or "tcg"
  Bytes memory;
  std::uint32_t cpus = 0;
  Nanos uptime{};                    ///< since the VM answered
  std::string state;                 ///< "booted" or "resumed"
  std::vector<std::string> images;   ///< ids that are mounted
  std::uint32_t runs = 0;            ///< in progress, orphaned ones included
  std::vector<std::string> notices;  ///< what its start had to say
  /// What boxd counted in the guest; absent when it was not asked or did not answer.
  std::optional<link::GuestCounters> guest;
};

/// One JSON object: running, pid, qemu_pid, accelerator, memory_bytes, cpus, uptime_s, state,
/// images, runs, notices; all but `running` null when it does not run.
std::string status_to_json(const Status& status);
Result<Status> status_from_json(std::string_view json);

}  // namespace pybox::vm
