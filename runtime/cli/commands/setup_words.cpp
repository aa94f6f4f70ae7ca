#include <array>

#include "cli/commands/commands.hpp"
#include "cli/commands/setup.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kOptions = {
    Option{"--yes", "", "do not ask before downloading"},
    Option{"--with", "IMAGE", "also build `data`: numpy, pandas, matplotlib"},
    Option{"--python", "V,…", "the Python versions (default: 3.13)"},
    Option{"--engine", "vm|native", "where `data` is built (default: a box, else a VM)"},
    Option{"--mirror", "URL", "a Debian mirror (default: the host's own)"},
    Option{"--update", "", "look for newer packages and rebuild if there are any"},
};

constexpr std::string_view kDetails =
    R"(Downloads signed Debian packages, builds the guest kernel and the base image
from them, and makes the key that signs receipts. It can be run again at any
time: what is complete is kept, what was interrupted is finished. `data` is
built from a lock of wheels, as with `pybox image build`.)";

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

Result<int> run(const Words& words, const Surroundings&) {
  SetupOptions options;
  options.yes = words.has("--yes");
  options.update = words.has("--update");
  if (const auto image = words.value("--with")) options.with = *image;
  if (const auto engine = words.value("--engine")) options.engine = *engine;
  if (const auto pythons = words.value("--python")) options.pythons = split_at_commas(*pythons);
  if (const auto mirror = words.value("--mirror")) options.mirror = *mirror;
  PYBOX_TRY(run_setup(options));
  return 0;
}

}  // namespace

const Command kSetup{
    .name = "setup",
    .summary = "Build the guest kernel and the base image",
    .synopsis = "[OPTIONS]",
    .positionals = {},
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
