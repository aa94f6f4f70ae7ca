#include "cli/builder_setting.hpp"

#include <cstdlib>

#include "cli/choose_engine.hpp"
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
  const EngineKind kind = PYBOX_TRY(choose_engine(engine, settings));
  setting.place =
      kind == EngineKind::Native ? image::BuilderPlace::Native : image::BuilderPlace::Vm;
  return setting;
}

}  // namespace pybox::cli
