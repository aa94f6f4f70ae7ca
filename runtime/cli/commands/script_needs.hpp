#pragma once
/// What `pybox exec --with-deps` and `pybox image lock` read of a script, and who answers it.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "builder/script_image.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/words/program_source.hpp"

namespace pybox::cli {

/// The script's block, and the pylock.NAME.toml beside a script that is a file. Error kind Refused
/// naming the file: a malformed block or lock, or no block where one seems to be meant.
Result<builder::ScriptNeeds> script_needs(const ProgramSource& source, const std::string& name,
                                          const std::string& text,
                                          const std::optional<std::string>& python);

/// image_for_script() with the builder that `engine` (the value of --engine) and the settings pick;
/// the builder is asked, and progress drawn, only when something is missing.
Result<builder::ScriptImage> script_image_by_builder(const sys::StateDirs& dirs,
                                                     const builder::ScriptNeeds& needs,
                                                     const std::optional<std::string>& engine,
                                                     ProgressMode mode);

}  // namespace pybox::cli
