#pragma once
/// The worlds that are open. Opened when first needed, kept for the arms that follow, thrown away
/// when they fail.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "campaign/world/world.hpp"

namespace pybox::campaign {

/// As open_world(); tests bring their own.
using OpenWorld = std::function<Result<std::unique_ptr<World>>(EngineKind engine, WorldBoxd boxd)>;

class Worlds {
 public:
  explicit Worlds(OpenWorld open) : open_(std::move(open)) {}

  /// The open world, or a new one. Error kind HostCannot: this host cannot run it; asked again, the
  /// answer is the same at once. Any other error is tried again for the next arm, until it has come
  /// three times in a row.
  Result<World*> get(EngineKind engine, WorldBoxd boxd);
  /// Ends a world that is of no more use.
  void drop(EngineKind engine, WorldBoxd boxd);
  /// Ends those of other engines than this one: they only cost memory.
  void keep_only(EngineKind engine);
  void close() { slots_.clear(); }

 private:
  struct Slot {
    std::unique_ptr<World> world;
    std::optional<Error> failed;
    int failures = 0;
  };
  OpenWorld open_;
  std::map<std::pair<EngineKind, WorldBoxd>, Slot> slots_;
};

}  // namespace pybox::campaign
