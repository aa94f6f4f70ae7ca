#include "campaign/run/worlds.hpp"

namespace pybox::campaign {
namespace {

constexpr int kGiveUpAfter = 3;

}  // namespace

Result<World*> Worlds::get(EngineKind engine, WorldBoxd boxd) {
  Slot& slot = slots_[{engine, boxd}];
  if (slot.world) return slot.world.get();
  if (slot.failed &&
      (slot.failed->kind() == ErrorKind::HostCannot || slot.failures >= kGiveUpAfter)) {
    return *slot.failed;
  }
  auto opened = open_(engine, boxd);
  if (!opened) {
    if (opened.error().kind() != ErrorKind::Interrupted) {
      slot.failed = opened.error();
      ++slot.failures;
    }
    return std::move(opened).error();
  }
  slot.world = std::move(opened).value();
  slot.failed.reset();
  slot.failures = 0;
  return slot.world.get();
}

void Worlds::drop(EngineKind engine, WorldBoxd boxd) { slots_[{engine, boxd}].world.reset(); }

void Worlds::keep_only(EngineKind engine) {
  for (auto& [key, slot] : slots_) {
    if (key.first != engine) slot.world.reset();
  }
}

}  // namespace pybox::campaign
