#include "cli/commands/commands.hpp"

#include <array>

namespace pybox::cli {

std::span<const Command* const> all_commands() {
  // One a line: whoever adds a command meets nobody.
  // clang-format off
  static const std::array kAll = {
      &kSetup,
      &kVmStart,
      &kVmStop,
      &kVmStatus,
      &kVmLogs,
      &kExec,
      &kMcp,
      &kImageBuild,
      &kImageList,
      &kImageLock,
      &kImageRm,
      &kImagePrune,
      &kReceipts,
      &kVerify,
      &kDoctor,
      &kVersion,
  };
  // clang-format on
  return kAll;
}

}  // namespace pybox::cli
