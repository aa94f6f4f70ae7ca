#include <array>

#include "campaign/oracle/leftovers.hpp"
#include "campaign/oracle/oracle.hpp"
#include "campaign/oracle/probe.hpp"
#include "campaign/oracle/recorded_runs.hpp"
#include "campaign/oracle/resources.hpp"

namespace pybox::campaign {

std::span<const Oracle> oracles() {
  // clang-format off
  static const std::array kAll = {
      Oracle{"probe", "the probe's own line", read_probe},
      Oracle{"oom", "kills for memory and its peak", read_oom},
      Oracle{"pids", "refused tasks and their peak", read_pids},
      Oracle{"cpu", "CPU time beside the time it ran", read_cpu},
      Oracle{"timeout", "what ended the program", read_timeout},
      Oracle{"wait-status", "how the program ended at its deadline", read_wait_status},
      Oracle{"output", "bytes kept of its output", read_output},
      Oracle{"scratch", "memory's peak beside the scratch space", read_scratch},
      Oracle{"inodes", "files found beside the room for them", read_inodes},
      Oracle{"orphans", "the number of tasks over time", read_orphans},
      Oracle{"cleanup", "whether the box is gone", read_cleanup},
      Oracle{"files", "what came back from /tmp/output", read_files},
      Oracle{"moment", "whether the files that came back are of one moment", read_moment},
      Oracle{"recorded-hello", "receipts: ended by itself", read_recorded_hello},
      Oracle{"recorded-traceback", "receipts: crashed by itself", read_recorded_traceback},
      Oracle{"recorded-deadline", "receipts: stopped by PyBox's deadline", read_recorded_deadline},
      Oracle{"recorded-force-killed", "receipts: stopped by the box timer", read_recorded_force_killed},
      Oracle{"recorded-message", "messages with a forged id on the wire", read_recorded_message},
      Oracle{"recorded-memory", "a child killed for memory, its parent alive", read_recorded_memory},
      Oracle{"recorded-processes", "processes refused, and their count", read_recorded_processes},
      Oracle{"recorded-outside", "a file and a setting out of reach", read_recorded_outside},
  };
  // clang-format on
  return kAll;
}

const Oracle* find_oracle(std::string_view name) {
  for (const Oracle& oracle : oracles()) {
    if (oracle.name == name) return &oracle;
  }
  return nullptr;
}

}  // namespace pybox::campaign
