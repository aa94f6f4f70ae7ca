#pragma once
/// Which engine a command uses: its `--engine`, then PYBOX_ENGINE, then the settings file, then vm.

#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "request/settings.hpp"

namespace pybox::run {

/// Error kind Usage for a word that names no engine of this PyBox; it says where the word stood.
/// `named_engine` gives nothing where none of them names one.
Result<std::optional<EngineKind>> named_engine(std::optional<std::string_view> flag,
                                               const Settings& settings);
Result<EngineKind> choose_engine(std::optional<std::string_view> flag, const Settings& settings);

}  // namespace pybox::run
