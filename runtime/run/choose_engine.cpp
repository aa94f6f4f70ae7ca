#include "run/choose_engine.hpp"

#include <cstdlib>

namespace pybox::run {

Result<std::optional<EngineKind>> named_engine(std::optional<std::string_view> flag,
                                               const Settings& settings) {
  if (flag) return std::optional(PYBOX_TRY(engine_choice(*flag, "`--engine`")));
  const char* variable = std::getenv("PYBOX_ENGINE");
  if (variable != nullptr && *variable != '\0')
    return std::optional(PYBOX_TRY(engine_choice(variable, "PYBOX_ENGINE")));
  return settings.engine;
}

Result<EngineKind> choose_engine(std::optional<std::string_view> flag, const Settings& settings) {
  const std::optional<EngineKind> named = PYBOX_TRY(named_engine(flag, settings));
  return named.value_or(EngineKind::Vm);
}

}  // namespace pybox::run
