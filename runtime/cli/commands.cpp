#include "cli/commands.hpp"

#include <array>

namespace pybox::cli {

std::span<const Command* const> all_commands() {
  static const std::array<const Command*, 7> kAll = {&kSetup,  &kExec,   &kImageList, &kReceipts,
                                                     &kVerify, &kDoctor, &kVersion};
  return kAll;
}

}  // namespace pybox::cli
