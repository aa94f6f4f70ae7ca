#pragma once
/// Where builders run: picked as an engine is, by flag, PYBOX_ENGINE or settings file, and never
/// another place than the one that was picked. Where none of them names an engine, either will do
/// (docs/adr/0017-builder.md says why).

#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "builder/builder.hpp"

namespace pybox::run {

/// `engine` is the value of --engine. Error kind Usage for an engine that is none.
Result<builder::BuilderSetting> builder_setting(std::optional<std::string_view> engine);

}  // namespace pybox::run
