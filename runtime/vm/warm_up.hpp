#pragma once
/// The first run of a started VM, made by PyBox itself: an empty program in a box of its own.
///
/// A booted guest makes it before its state is saved (vm/launch.cpp says why). A resumed one makes
/// it again: under emulation QEMU must translate every instruction of boxd, kernel and interpreter
/// once, which no saved state contains, and the first user's program would pay a second and more of
/// its time limit for it. Clients' frames wait until it has ended, or until it took too long.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "link/frame.hpp"

namespace pybox::vm {

/// The order of the empty program; `cpus` are all it may use.
link::Frame warm_up_order(std::uint64_t run, std::string_view image_id, std::uint32_t cpus);

/// A client's frame as it came; ClientGone stands for the client's end.
struct HeldFrame {
  std::uint64_t session = 0;
  link::Frame frame;
};

/// Holds frames back while the warm-up is under way. Pure: times are passed in.
class WarmUp {
 public:
  /// Another warm-up, under way from now on; what is held stays held.
  void begin(std::uint64_t run, Nanos now);

  /// Over without its report, or not needed.
  void end() { run_.reset(); }

  bool is_under_way() const { return run_.has_value(); }
  /// Takes `frame` when it must wait; false: deal with it.
  bool hold(std::uint64_t session, link::Frame& frame);
  /// True when `frame` belongs to the warm-up; its last one ends it.
  bool answer(const link::Frame& frame);
  /// Gives up a warm-up that takes too long.
  void look(Nanos now);
  /// How long look() need not be called; nullopt: never.
  std::optional<Nanos> patience(Nanos now) const;
  /// What was held, in order, once it has ended; empty before.
  std::vector<HeldFrame> release();

 private:
  std::optional<std::uint64_t> run_;
  std::uint64_t number_ = 0;
  Nanos until_{};
  std::vector<HeldFrame> held_;
};

}  // namespace pybox::vm
