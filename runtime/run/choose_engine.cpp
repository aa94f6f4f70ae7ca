#include "run/choose_engine.hpp"

#include <cstdlib>

namespace pybox::run {

Result<EngineKind> choose_engine(std::optional<std::string_view> flag, const Settings& settings) {
  if (flag) return engine_choice(*flag, "`--engine`");
  const char* variable = std::getenv("PYBOX_ENGINE");
  if (variable != nullptr && *variable != '\0') return engine_choice(variable, "PYBOX_ENGINE");
  return settings.engine.value_or(EngineKind::Vm);
}

}  // namespace pybox::run
