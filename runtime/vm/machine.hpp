#pragma once
/// One running QEMU: its command channel, its console, its link to boxd and its end, behind one
/// event pump. Used step by step while a VM starts, and by the supervisor's loop while it serves.

#include <poll.h>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "link/frame.hpp"
#include "vm/config.hpp"
#include "vm/console_log.hpp"
#include "vm/qemu_process.hpp"
#include "vm/qmp.hpp"

namespace pybox::vm {

class Machine {
 public:
  /// Owns a QEMU that was just started. `console` gets what the guest and QEMU print and must
  /// outlive the machine. The destructor kills QEMU.
  Machine(QemuProcess process, ConsoleLog& console);

  /// Agrees on QMP; to be done first. Error: QEMU ended, or says nothing.
  Result<void> agree();

  /// Runs a QMP command to its answer: the returned value as JSON. A descriptor is passed along
  /// with it when `fd` is not -1. Error: QEMU refused (its words), or did not answer in time, or
  /// ended.
  Result<std::string> execute(std::string_view command, const QmpArguments& arguments = {},
                              int fd = -1, Nanos patience = std::chrono::seconds(10));

  /// Queues a frame for boxd.
  void send(const link::Frame& frame);
  /// Bytes that wait because the guest does not take them.
  std::size_t waiting() const { return outgoing_.size(); }
  std::optional<link::Frame> next_frame();

  /// Descriptors to poll, always kWatched of them, and what to do with the answers.
  static constexpr std::size_t kWatched = 5;
  void watch(std::vector<pollfd>& into) const;
  void handle(std::span<const pollfd> watched);
  /// One round of poll and handle.
  void pump(Nanos timeout);

  /// QEMU ended, or it broke the protocol, or its virtual processors stopped unasked (which is how
  /// KVM reports that it cannot go on). Says how, for people.
  const std::optional<std::string>& broken() const { return broken_; }
  /// What its breaking says about the accelerator it was given.
  Blame blame() const;
  /// How QEMU ended; nullopt: it has not.
  const std::optional<sys::WaitStatus>& ended() const { return ended_; }
  /// When guest or QEMU printed something last; at first, when the machine began.
  Nanos heard() const { return heard_; }
  const ConsoleLog& console() const { return console_; }
  pid_t pid() const { return pid_; }

  /// Asks QEMU to quit, then kills it. Never fails; returns when the process is gone.
  void end(Nanos patience = std::chrono::seconds(2));

  /// The virtual processors are about to be stopped, or continued, on purpose.
  void expect_stop(bool expected) { stop_expected_ = expected; }

 private:
  std::string_view read_console(sys::Fd& fd, std::span<char> chunk);
  void read_words();
  void read_qmp();
  void take_event(const QmpMessage& event);
  void take_stop_reason(const QmpMessage& answer);
  void read_link();
  void write_link();
  void take_end();
  void break_down(std::string why);
  Result<void> write_command(std::string_view line, int fd);

  QemuProcess process_;
  pid_t pid_ = -1;
  ConsoleLog& console_;
  QmpReader qmp_;
  std::deque<QmpMessage> answers_;
  bool greeted_ = false;
  std::uint64_t commands_ = 0;
  link::FrameReader frames_;
  std::string outgoing_;
  bool stop_expected_ = false;
  std::uint64_t stop_question_ = 0;  ///< the number of the command that asks why it stopped; or 0
  bool internal_error_ = false;
  std::string words_;  ///< the last of what QEMU itself printed
  std::optional<sys::WaitStatus> ended_;
  Nanos heard_;
  std::optional<std::string> broken_;
};

}  // namespace pybox::vm
