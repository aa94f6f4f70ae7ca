#pragma once
/// One run from order to report: a state machine driven by boxd's event loop.
///
///   Building ──▶ Running ──▶ Ending ──▶ Done
///      │  (sealed and verified: go)        ▲
///      └────────── refused, failed ────────┘
///
/// Building: the box's own processes build it; both must have spoken and the seal must hold.
/// Running: samples, output, input, the deadline; ends with the keeper's word on how the program
/// ended. Ending: everything left in the box is killed; over when the keeper, and with it the pid
/// namespace, is gone. Then the final readings are taken, the cgroup is removed and the report is
/// ready.

#include <poll.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "box/box.hpp"
#include "box/verify.hpp"
#include "boxd/capture.hpp"
#include "boxd/transfer.hpp"
#include "link/order.hpp"
#include "receipt/report.hpp"
#include "sys/cgroup.hpp"
#include "watch/sampler.hpp"

namespace pybox::boxd {

/// Where a run's boxes come from; outlives every run.
struct Workshop {
  const sys::CgroupHost* cgroup = nullptr;
  BoxHost host;
  std::string rootfs;  ///< of the ordered image
  std::string empty;
  std::vector<SealCheck> around;  ///< checks of what stands around every box: the VM's
};

/// What a run tells the engine while it goes on.
struct Listener {
  std::function<void(const Seal& seal)> started;
  std::function<void(int stream, std::string_view bytes)> output;
  std::function<void(std::uint64_t bytes)> stdin_taken;
};

class Run {
  struct Key {};  ///< only start() makes one

 public:
  Run(Key, link::RunOrder order, const Workshop& workshop, Nanos received, Listener listener);
  /// `received` is when the order arrived, on the monotonic clock. Never fails: what goes wrong is
  /// in the report.
  static std::unique_ptr<Run> start(link::RunOrder order, const Workshop& workshop,
                                    std::uint64_t number, Nanos received, Listener listener);

  const link::RunOrder& order() const { return order_; }
  bool done() const { return state_ == State::Done; }
  /// True from the go on, for good: the listener was told the seal.
  bool has_started() const { return has_started_; }
  /// Precondition: done().
  RunReport take_report() { return std::move(report_); }

  /// Adds the descriptors to watch; handle() is then called with the same number of entries.
  void watch(std::vector<pollfd>& into) const;
  void handle(const pollfd* events, std::size_t count, Nanos now);
  /// When tick() must be called next, at the latest.
  std::optional<Nanos> next_tick() const;
  void tick(Nanos now);

  void feed_stdin(std::string_view bytes);  ///< empty: the end
  void cancel(Nanos now);
  /// The client vanished: no deadline any more, the box timer decides (or a kill, if so ordered).
  void orphan(Nanos now);

 private:
  enum class State { Building, Running, Ending, Done };

  void build(std::uint64_t number);
  void on_program_socket(Nanos now);
  void on_keeper_socket(Nanos now);
  void read_program(Nanos now);
  void go_if_sealed();
  void sample(Nanos now);
  void kill_for(Observation why, Nanos now);
  void begin_ending(Nanos now);
  void finish(Nanos now);
  void write_stdin();
  void refuse(bool refused, std::string message, std::string hint);
  void fill_outcome();
  void read_kernel();
  void collect_files();
  SealCheck output_check() const;

  link::RunOrder order_;
  Workshop workshop_;
  Listener listener_;
  State state_ = State::Building;
  bool has_started_ = false;
  std::unique_ptr<box::Box> box_;
  std::optional<box::SealReading> reading_;
  std::optional<box::SealedNotice> sealed_;
  std::optional<box::KeeperNotice> keeping_;
  std::optional<box::Message> ended_;      ///< the keeper's word on the program's wait status
  std::optional<Observation> killed_for_;  ///< what PyBox killed it for, if it did
  bool box_timer_fired_ = false;
  // A socket whose other end closed stays readable for ever: it is watched no more.
  bool keeper_hung_up_ = false;
  bool program_hung_up_ = false;
  bool orphaned_ = false;
  std::uint32_t stop_requests_ = 0;
  std::optional<Capture> out_, err_;
  sys::Fd stdin_;
  std::string stdin_waiting_;
  bool stdin_ended_ = false;
  watch::Sampler sampler_;
  std::optional<Transfer> transfer_;  ///< where files are asked back
  sys::Fd mounts_;                    ///< let go of with this run, after its report
  RunReport report_;
  Nanos received_{}, built_{}, sealed_at_{}, verified_{}, go_{}, end_{}, kill_at_{}, collected_{};
};

}  // namespace pybox::boxd
