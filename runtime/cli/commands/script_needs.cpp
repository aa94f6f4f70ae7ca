#include "cli/commands/script_needs.hpp"

#include <filesystem>

#include "base/text.hpp"
#include "run/builder_setting.hpp"
#include "store/own_images.hpp"
#include "sys/file.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;

/// Nothing when there is no such file.
Result<std::optional<pypi::Lock>> lock_beside(const fs::path& file, const std::string& name) {
  std::error_code code;
  if (fs::symlink_status(file, code).type() == fs::file_type::not_found) {
    return std::optional<pypi::Lock>();
  }
  auto text = sys::read_file(file, Bytes{pypi::kMaxPylockBytes});
  if (!text) return std::move(text).error().as(ErrorKind::Refused);
  return std::optional(PYBOX_TRY(pypi::parse_lock(name, *text)));
}

}  // namespace

Result<builder::ScriptNeeds> script_needs(const ProgramSource& source, const std::string& name,
                                          const std::string& text,
                                          const std::optional<std::string>& python) {
  builder::ScriptNeeds needs;
  needs.name = visible(name);
  needs.python = python;
  needs.script = PYBOX_TRY_CONTEXT(pypi::read_inline_script(text), needs.name);
  if (needs.script.line == 0 && !needs.script.almost.empty()) {
    return Error(ErrorKind::Refused, needs.name + ": " + needs.script.almost)
        .hint("a block is `# /// script`, comment lines, `# ///` (PEP 723)");
  }
  if (source.kind != ProgramSource::Kind::File || needs.script.line == 0) return needs;
  needs.lock_name = pypi::pylock_name_of(name);
  needs.lock = PYBOX_TRY(
      lock_beside(fs::path(source.word).parent_path() / needs.lock_name, needs.lock_name));
  needs.lock_name = visible(needs.lock_name);
  return needs;
}

Result<builder::ScriptImage> script_image_by_builder(const sys::StateDirs& dirs,
                                                     const builder::ScriptNeeds& needs,
                                                     const std::optional<std::string>& engine,
                                                     ProgressMode mode) {
  std::unique_ptr<Progress> progress;
  const auto setting = [&]() -> Result<builder::BuilderSetting> {
    if (!progress) progress = draw_progress(mode);
    return run::builder_setting(engine ? std::optional<std::string_view>(*engine) : std::nullopt);
  };
  builder::ScriptParts parts;
  parts.resolve = [&](const builder::ResolveRequest& request) -> Result<std::string> {
    const builder::BuilderSetting where = PYBOX_TRY(setting());
    return builder::resolve_lock(where, request, *progress);
  };
  parts.build = [&](const builder::BuildRequest& request) -> Result<void> {
    const builder::BuilderSetting where = PYBOX_TRY(setting());
    PYBOX_TRY(builder::build_image(where, request, *progress));
    return {};
  };
  parts.find = [&](const std::string& image, const std::string& python) -> Result<void> {
    PYBOX_TRY(store::find_image(dirs, image, python));
    store::mark_used(dirs, store::folder_of_image(image, python));
    return {};
  };
  return builder::image_for_script(dirs, needs, parts);
}

}  // namespace pybox::cli
