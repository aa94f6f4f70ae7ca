#include <array>

#include "cli/commands/commands.hpp"
#include "cli/commands/output_json.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kOptions = {Option{"--json", "", "print JSON"}};

Result<int> run(const Words& words, const Surroundings&) {
  PYBOX_TRY(print(words.has("--json") ? version_json()
                                      : "pybox " PYBOX_VERSION " (" PYBOX_BUILD_TYPE ")\n"));
  return 0;
}

}  // namespace

const Command kVersion{
    .name = "version",
    .summary = "Print the version and how it was built",
    .synopsis = "[--json]",
    .positionals = {},
    .options = kOptions,
    .details = {},
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
