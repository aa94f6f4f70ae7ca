#include <array>

#include "base/text.hpp"
#include "builder/builder.hpp"
#include "cli/commands/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "run/builder_setting.hpp"
#include "store/own_images.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kPositionals = {
    Positional{"NAME", "2 to 31 lower-case letters, digits or `-`"},
};
constexpr std::array kOptions = {
    Option{"--lock", "FILE", "the packages, each with version and hashes"},
    Option{"--python", "V", "the Python version (default: 3.13)"},
    Option{"--engine", "vm|native", "where packages are installed (default: a box, else a VM)"},
};
constexpr std::string_view kDetails =
    R"(Installs only the wheels of the lock over the base image: each file must have
one of the pinned SHA-256 digests. pip runs in a builder, a throwaway VM (or
box) with network; no code of a package runs there. The image is usable at once,
also in a running VM. An image of the same name is replaced. `pybox image lock`
makes locks.)";

Result<pypi::Lock> read_lock(const Words& words) {
  const auto file = words.value("--lock");
  if (!file) return Error(ErrorKind::Usage, "`pybox image build` needs --lock FILE");
  const std::filesystem::path path(*file);
  Result<std::string> text = sys::read_file(path, Bytes{pypi::kMaxPylockBytes});
  if (!text) return std::move(text).error().as(ErrorKind::Refused).context("reading the lock");
  return pypi::parse_lock(path.filename().string(), *text);
}

Result<int> run(const Words& words, const Surroundings&) {
  builder::BuildRequest request;
  request.name = words.positionals.front();
  request.python = words.value("--python").value_or("3.13");
  PYBOX_TRY(store::own_image_name(request.name));
  request.lock = PYBOX_TRY(read_lock(words));
  const builder::BuilderSetting setting = PYBOX_TRY(run::builder_setting(words.value("--engine")));
  const builder::BuildResult done =
      PYBOX_TRY(with_progress(ProgressMode::Auto, [&](Progress& progress) {
        return builder::build_image(setting, request, progress);
      }));
  const std::string state =
      done.built ? "built in " + human_seconds(done.elapsed) : std::string("already there");
  PYBOX_TRY(sys::write_all(2, "image   " + done.image.name + " (Python " + done.image.python +
                                  ", " + std::to_string(request.lock.pins.size()) + " packages), " +
                                  state + "  " + done.image.id + "\n"));
  return 0;
}

}  // namespace

const Command kImageBuild{
    .name = "image build",
    .summary = "Build an image from a lock of Python packages",
    .synopsis = "NAME --lock FILE [OPTIONS]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
