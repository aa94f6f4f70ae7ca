#include "campaign/world/worlds.hpp"

namespace pybox::campaign {

Result<std::unique_ptr<World>> open_world(EngineKind engine, WorldBoxd boxd,
                                          const WorldSettings& settings, Progress& progress) {
  if (engine == EngineKind::Native) return open_native_world(boxd, settings);
  if (engine == EngineKind::Vm) return open_vm_world(boxd, settings, progress);
  return Error(ErrorKind::HostCannot,
               "there is no world for the engine " + std::string(name_of(engine)));
}

}  // namespace pybox::campaign
