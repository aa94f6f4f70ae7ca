#include "cli/commands/mcp_packages.hpp"

#include "cli/commands/script_needs.hpp"
#include "store/own_images.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

Error not_built() {
  return Error(ErrorKind::Refused,
               "these dependencies were not built before, and this server builds none (set by the "
               "server)")
      .hint("the operator may run a script with them once: `pybox exec --with-deps SCRIPT`");
}

Result<builder::ScriptImage> built_image(const builder::ScriptNeeds& needs) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  builder::ScriptParts parts;
  parts.resolve = [](const builder::ResolveRequest&) -> Result<std::string> { return not_built(); };
  parts.build = [](const builder::BuildRequest&) -> Result<void> { return not_built(); };
  parts.find = [&](const std::string& image, const std::string& python) -> Result<void> {
    PYBOX_TRY(store::find_image(dirs, image, python));
    store::mark_used(dirs, store::folder_of_image(image, python));
    return {};
  };
  return builder::image_for_script(dirs, needs, parts);
}

}  // namespace

void allow_packages(mcp::Operator& allowed) {
  if (allowed.packages == mcp::Packages::Locked) {
    allowed.script_image = built_image;
  } else if (allowed.packages == mcp::Packages::Any) {
    const std::string engine(name_of(allowed.engine));
    // Little is said: stderr is the client's, and may never be read.
    allowed.script_image =
        [engine](const builder::ScriptNeeds& needs) -> Result<builder::ScriptImage> {
      const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
      return script_image_by_builder(dirs, needs, engine, ProgressMode::Quiet);
    };
  }
}

}  // namespace pybox::cli
