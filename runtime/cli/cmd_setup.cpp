#include "cli/cmd_setup.hpp"

#include <unistd.h>

#include <string_view>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "image/setup.hpp"
#include "receipt/keys.hpp"
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
  if (options.with.empty()) return {};
  if (options.with == "data") {
    return Error(ErrorKind::Refused, "this PyBox cannot build the image `data`")
        .hint("leave --with out: `stdlib` holds the whole standard library");
  }
  return Error(ErrorKind::Usage, "--with knows `data` only, not `" + visible(options.with) + "`");
}

std::string summary(const image::SetUpResult& result, const sys::StateDirs& dirs, Nanos elapsed) {
  const auto state = [](bool built) { return std::string(built ? "" : ", already there"); };
  return "image   stdlib (Python " + result.python + ")" + state(result.built_image) + "  " +
         result.image_id + "\nkernel  " + result.kernel_release + state(result.built_kernel) +
         "\nhome    " + visible(dirs.home.string()) + "\nready in " + human_seconds(elapsed);
}

}  // namespace

Result<void> run_setup(const SetupOptions& options) {
  const Nanos began = monotonic_now();
  PYBOX_TRY(check_words(options));
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  image::SetUpRequest request;
  request.pythons = options.pythons;
  request.mirror = options.mirror;
  request.update = options.update;
  if (!options.yes && ::isatty(0) != 0 && ::isatty(2) != 0) request.confirm = ask;
  Result<image::SetUpResult> result = Error(ErrorKind::Internal, "set-up did not run");
  {
    const std::unique_ptr<Progress> progress = draw_progress(options.progress);
    result = image::set_up(dirs, request, *progress);
    if (result) PYBOX_TRY_CONTEXT(load_or_make_key(dirs), "preparing the signing key");
  }
  const image::SetUpResult done = PYBOX_TRY(std::move(result));
  return sys::write_all(2, summary(done, dirs, monotonic_now() - began) + "\n");
}

}  // namespace pybox::cli
