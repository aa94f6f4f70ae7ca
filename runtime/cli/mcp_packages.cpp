#include "cli/mcp_packages.hpp"

#include "cli/script_needs.hpp"
#include "image/own_images.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

Error not_built() {
  return Error(ErrorKind::Refused,
               "these dependencies were not built before, and this server builds none (set by the "
               "server)")
      .hint("the operator may run a script with them once: `pybox exec --with-deps SCRIPT`");
}

Result<image::ScriptImage> built_image(const image::ScriptNeeds& needs) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  image::ScriptParts parts;
  parts.resolve = [](const image::ResolveRequest&) -> Result<std::string> { return not_built(); };
  parts.build = [](const image::BuildRequest&) -> Result<void> { return not_built(); };
  parts.find = [&](const std::string& image, const std::string& python) -> Result<void> {
    PYBOX_TRY(image::find_image(dirs, image, python));
    image::mark_used(dirs, image::folder_of_image(image, python));
    return {};
  };
  return image::image_for_script(dirs, needs, parts);
}

}  // namespace

void allow_packages(mcp::Operator& allowed) {
  if (allowed.packages == mcp::Packages::Locked) {
    allowed.script_image = built_image;
  } else if (allowed.packages == mcp::Packages::Any) {
    const std::string engine(name_of(allowed.engine));
    // Little is said: stderr is the client's, and may never be read.
    allowed.script_image = [engine](const image::ScriptNeeds& needs) -> Result<image::ScriptImage> {
      const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
      return script_image_by_builder(dirs, needs, engine, ProgressMode::Quiet);
    };
  }
}

}  // namespace pybox::cli
