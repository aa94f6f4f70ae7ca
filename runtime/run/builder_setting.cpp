#include "run/builder_setting.hpp"

#include <cstdlib>

#include "request/settings.hpp"
#include "run/choose_engine.hpp"
#include "run/vm_config.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::run {

Result<builder::BuilderSetting> builder_setting(std::optional<std::string_view> engine) {
  builder::BuilderSetting setting;
  setting.dirs = PYBOX_TRY(sys::state_dirs());
  const Settings settings = PYBOX_TRY(load_settings(setting.dirs.config));
  setting.accelerator =
      PYBOX_TRY(accelerator_choice(std::getenv("PYBOX_VM_ACCELERATOR"), settings));
  if (const std::optional<EngineKind> named = PYBOX_TRY(named_engine(engine, settings))) {
    setting.place =
        named == EngineKind::Native ? builder::BuilderPlace::Native : builder::BuilderPlace::Vm;
  }
  return setting;
}

}  // namespace pybox::run
