#pragma once
/// The first run of a started VM, made by the supervisor itself: an empty program in a box of its
/// own.
///
/// Under emulation QEMU must translate every instruction of boxd, kernel and interpreter once,
/// which no saved state contains. Without this, the first user's program would pay a second and
/// more of its time limit for it. Clients' frames wait until it has ended, or until it took too
/// long.

#include <optional>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "link/frame.hpp"

namespace pybox::vm {

/// The order of the empty program; `cpus` are all it may use.
link::Frame warm_up_order(std::uint64_t run, std::string_view image_id, std::uint32_t cpus);

/// Holds frames back while the warm-up is under way. Pure: times are passed in.
class WarmUp {
 public:
  /// No warm-up: nothing is held.
  WarmUp() = default;
  WarmUp(std::uint64_t run, Nanos began);

  bool is_under_way() const { return run_.has_value(); }
  /// Takes `frame` when it must wait; false: send it.
  bool hold(link::Frame& frame);
  /// True when `frame` belongs to the warm-up; its last one ends it.
  bool answer(const link::Frame& frame);
  /// Gives up a warm-up that takes too long.
  void look(Nanos now);
  /// How long look() need not be called; nullopt: never.
  std::optional<Nanos> patience(Nanos now) const;
  /// What was held, in order, once it has ended; empty before.
  std::vector<link::Frame> release();

 private:
  std::optional<std::uint64_t> run_;
  std::uint64_t number_ = 0;
  Nanos until_{};
  std::vector<link::Frame> held_;
};

}  // namespace pybox::vm
