#pragma once
/// The two kinds of world behind open_world.

#include "campaign/world/world.hpp"

namespace pybox::campaign {

Result<std::unique_ptr<World>> open_native_world(WorldBoxd boxd, const WorldSettings& settings);
Result<std::unique_ptr<World>> open_vm_world(WorldBoxd boxd, const WorldSettings& settings,
                                             Progress& progress);
constexpr const char* program_of(WorldBoxd boxd) {
  return boxd == WorldBoxd::Released ? "boxd" : "boxd-campaign";
}

}  // namespace pybox::campaign
