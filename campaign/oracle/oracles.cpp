#include <array>

#include "campaign/oracle/oracle.hpp"
#include "campaign/oracle/probe.hpp"
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
      Oracle{"output", "bytes kept of its output", read_output},
      Oracle{"files", "what came back from /tmp/output", read_files},
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
