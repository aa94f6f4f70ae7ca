#include "cli/commands/setup.hpp"

#include <unistd.h>

#include <string_view>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "builder/builder.hpp"
#include "debian/setup.hpp"
#include "receipt/keys.hpp"
#include "run/builder_setting.hpp"
#include "store/package_recipe.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

/// One line from the terminal; a yes, or nothing at all, goes on.
bool ask(const std::string& question) {
  (void)sys::write_all(2, visible(question, Lines::Keep) + " Continue? [Y/n] ");
  std::string answer;
  for (char c = 0; ::read(0, &c, 1) == 1 && c != '\n';) answer.push_back(c);
  return answer.empty() || answer == "y" || answer == "Y" || answer == "yes";
}

Result<void> check_words(const SetupOptions& options) {
  if (options.with.empty() || options.with == store::kDataImage) return {};
  return Error(ErrorKind::Usage, "--with knows `data` only, not `" + visible(options.with) + "`");
}

std::string line_of(const std::string& name, const std::string& python, bool built,
                    const std::string& id) {
  return "image   " + name + " (Python " + python + ")" + (built ? "" : ", already there") + "  " +
         id + "\n";
}

std::string summary(const debian::SetUpResult& result,
                    const std::vector<builder::BuildResult>& data, const sys::StateDirs& dirs,
                    Nanos elapsed) {
  std::string text;
  for (const debian::SetUpImage& image : result.images)
    text += line_of(image.name, image.python, image.built, image.id);
  for (const builder::BuildResult& built : data) {
    text += line_of(built.image.name, built.image.python, built.built, built.image.id);
    if (built.built) text += "        built in " + human_seconds(built.elapsed) + "\n";
  }
  return text + "kernel  " + result.kernel_release +
         (result.built_kernel ? "" : ", already there") + "\nhome    " +
         visible(dirs.home.string()) + "\nready in " + human_seconds(elapsed);
}

/// `data` for each Python that was asked for.
Result<std::vector<builder::BuildResult>> build_data(const SetupOptions& options,
                                                     Progress& progress) {
  std::vector<builder::BuildResult> built;
  if (options.with.empty()) return built;
  const builder::BuilderSetting setting = PYBOX_TRY(run::builder_setting(options.engine));
  const std::string_view text = store::data_lock_text();
  const pypi::Lock lock = PYBOX_TRY(pypi::parse_requirements_lock(text));
  const std::vector<std::string> none_named = {"3.13"};
  for (const std::string& python : options.pythons.empty() ? none_named : options.pythons) {
    const builder::BuildRequest request{std::string(store::kDataImage), python, lock};
    built.push_back(PYBOX_TRY_CONTEXT(builder::build_image(setting, request, progress),
                                      "building `data` for Python " + python));
  }
  return built;
}

struct SetUp {
  debian::SetUpResult base;
  std::vector<builder::BuildResult> data;
};

Result<SetUp> set_all_up(const SetupOptions& options, const sys::StateDirs& dirs,
                         const debian::SetUpRequest& request, Progress& progress) {
  SetUp done;
  done.base = PYBOX_TRY(debian::set_up(dirs, request, progress));
  PYBOX_TRY_CONTEXT(load_or_make_key(dirs), "preparing the signing key");
  done.data = PYBOX_TRY(build_data(options, progress));
  return done;
}

}  // namespace

Result<void> run_setup(const SetupOptions& options) {
  const Nanos began = monotonic_now();
  PYBOX_TRY(check_words(options));
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  debian::SetUpRequest request;
  request.pythons = options.pythons;
  request.mirror = options.mirror;
  request.update = options.update;
  if (!options.yes && ::isatty(0) != 0 && ::isatty(2) != 0) request.confirm = ask;
  const SetUp done = PYBOX_TRY(with_progress(options.progress, [&](Progress& progress) {
    return set_all_up(options, dirs, request, progress);
  }));
  return sys::write_all(2, summary(done.base, done.data, dirs, monotonic_now() - began) + "\n");
}

}  // namespace pybox::cli
