#include "cli/commands.hpp"

#include <array>

namespace pybox::cli {

std::span<const Command* const> all_commands() {
  static const std::array<const Command*, 6> kAll = {&kSetup,    &kExec,   &kImageList,
                                                     &kReceipts, &kVerify, &kVersion};
  return kAll;
}

}  // namespace pybox::cli
