#include "cli/commands.hpp"

#include <array>

namespace pybox::cli {

std::span<const Command* const> all_commands() {
  static const std::array<const Command*, 12> kAll = {&kSetup,    &kVmStart, &kVmStop, &kVmStatus,
                                                      &kVmLogs,   &kExec,    &kMcp,    &kImageList,
                                                      &kReceipts, &kVerify,  &kDoctor, &kVersion};
  return kAll;
}

}  // namespace pybox::cli
