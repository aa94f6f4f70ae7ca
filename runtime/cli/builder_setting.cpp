#include "cli/builder_setting.hpp"

#include <cstdlib>

#include "cli/cmd_vm.hpp"
#include "request/settings.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {

Result<image::BuilderSetting> builder_setting(std::optional<std::string_view> engine) {
  image::BuilderSetting setting;
  setting.dirs = PYBOX_TRY(sys::state_dirs());
  const Settings settings = PYBOX_TRY(load_settings(setting.dirs.config));
  setting.accelerator =
      PYBOX_TRY(accelerator_choice(std::getenv("PYBOX_VM_ACCELERATOR"), settings));
  const char* variable = std::getenv("PYBOX_ENGINE");
  EngineKind kind = settings.engine.value_or(EngineKind::Vm);
  if (engine) {
    kind = PYBOX_TRY(engine_choice(*engine, "`--engine`"));
  } else if (variable != nullptr && *variable != '\0') {
    kind = PYBOX_TRY(engine_choice(variable, "PYBOX_ENGINE"));
  }
  setting.place =
      kind == EngineKind::Native ? image::BuilderPlace::Native : image::BuilderPlace::Vm;
  return setting;
}

}  // namespace pybox::cli
