#include "cli/commands.hpp"

#include <array>

namespace pybox::cli {

std::span<const Command* const> all_commands() {
  static const std::array<const Command*, 11> kAll = {&kSetup,  &kVmStart, &kVmStop,    &kVmStatus,
                                                      &kVmLogs, &kExec,    &kImageList, &kReceipts,
                                                      &kVerify, &kDoctor,  &kVersion};
  return kAll;
}

}  // namespace pybox::cli
