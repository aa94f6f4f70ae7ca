#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/output_json.hpp"
#include "store/registry.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kOptions = {Option{"--json", "", "print JSON"}};

/// "sha256:" and the first 12 digits: enough to tell images apart.
constexpr std::size_t kShownId = 19;

Result<int> run(const Words& words, const Surroundings&) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  const std::vector<store::Listed> images = store::list_images(dirs);
  PYBOX_TRY(print(words.has("--json") ? images_json(images) : images_text(images)));
  return 0;
}

}  // namespace

std::string images_text(const std::vector<store::Listed>& images) {
  if (images.empty()) return "no images yet; `pybox setup` makes the first\n";
  std::size_t width = 4;
  for (const store::Listed& listed : images) width = std::max(width, visible(listed.name).size());
  const auto row = [&](std::string_view name, std::string_view python, std::string_view id,
                       std::string_view state) {
    return fmt::format("{:<{}}  {:<6}  {:<{}}  {}\n", name, width, python, id, kShownId, state);
  };
  std::string text = row("NAME", "PYTHON", "ID", "STATE");
  for (const store::Listed& listed : images) {
    const bool usable = listed.image.has_value();
    text += row(visible(listed.name), usable ? visible(listed.image->python) : "-",
                usable ? listed.image->id.substr(0, kShownId) : "-",
                usable ? "usable" : visible(listed.problem));
  }
  return text;
}

const Command kImageList{
    .name = "image list",
    .summary = "List the images and whether each is usable",
    .synopsis = "[--json]",
    .positionals = {},
    .options = kOptions,
    .details = {},
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
