#include <array>

#include "cli/commands/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "store/own_images.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kPositionals = {
    Positional{"NAME", "as `pybox image list` shows it"},
};
constexpr std::string_view kDetails =
    R"(The files are removed when the last run that uses the image has ended.)";

Result<int> run(const Words& words, const Surroundings&) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  const std::string& name = words.positionals.front();
  NoProgress quiet;
  PYBOX_TRY(store::remove_image(dirs, name, quiet));
  PYBOX_TRY(sys::write_all(2, "removed the image `" + name + "`\n"));
  return 0;
}

}  // namespace

const Command kImageRm{
    .name = "image rm",
    .summary = "Remove an image",
    .synopsis = "NAME",
    .positionals = kPositionals,
    .options = {},
    .details = kDetails,
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
