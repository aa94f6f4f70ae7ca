#pragma once
/// One box seen from outside: the processes, descriptors and cgroup boxd holds while it exists.
/// Passive: it does not wait. boxd/run decides when to go, to kill, to read and to remove.

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "box/cgroup.hpp"
#include "box/maker.hpp"
#include "box/messages.hpp"
#include "box/plan.hpp"
#include "receipt/report.hpp"
#include "sys/fd.hpp"
#include "sys/process.hpp"

namespace pybox::box {

/// What the program's process told boxd before the go, with the pid the kernel vouches for.
struct SealedNotice {
  Message message;
  pid_t pid = -1;  ///< in boxd's pid namespace (SCM_CREDENTIALS)
};

/// What the keeper says. With Keeping it hands over what boxd then asks the kernel about: its
/// timer, and max_user_namespaces of the box's user namespace, where the box has one.
struct KeeperNotice {
  Message message;
  sys::Fd timer, user_namespaces;
};

class Box {
  struct Key {};  ///< only start() makes one

 public:
  explicit Box(Key) {}
  /// Clones the keeper, makes the cgroup, writes the id map. Returns while the box is still being
  /// built: the program's process answers Sealed or Failed on program_socket(). `plan` must not
  /// move until then.
  static Result<std::unique_ptr<Box>> start(std::unique_ptr<BoxPlan> plan,
                                            const sys::CgroupHost& host, std::uint64_t number);
  ~Box();
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;

  const BoxPlan& plan() const { return *plan_; }
  BoxCgroup& cgroup() { return *cgroup_; }
  pid_t keeper_pid() const { return keeper_.pid(); }
  /// The process outside that a control arm's box shares its mount namespace with; else -1.
  pid_t stand_in() const { return maker_.stand_in(); }
  int keeper_pidfd() const { return keeper_.pidfd(); }
  int keeper_socket() const { return keeper_socket_.get(); }
  int program_socket() const { return program_socket_.get(); }

  sys::Fd take_stdin() { return std::move(stdin_); }
  sys::Fd take_stdout() { return std::move(stdout_); }
  sys::Fd take_stderr() { return std::move(stderr_); }

  /// Reads one message of the program's process; nullopt when it is gone.
  std::optional<SealedNotice> receive_notice();
  /// The same of the keeper.
  std::optional<KeeperNotice> receive_keeper();
  /// Takes hold of the program by pidfd, and exempts the keeper from the memory killer where boxd
  /// may. SealReading then checks that it is the keeper's child.
  Result<void> identify(pid_t program);
  pid_t program_pid() const { return program_pid_; }
  /// The process that boxd's pidfd of the program refers to, as the kernel says ("Pid:" of its
  /// fdinfo); "nobody" without one.
  std::string held_by_pidfd() const;

  /// Arms the box timer and lets the program start, in this order.
  Result<void> go(Nanos box_timer);
  /// SIGKILL to the program alone, so that its own ending, had it come first, is still what is
  /// seen.
  void kill_program();
  /// Ends every process of the box.
  void kill_all();
  /// True once the keeper, and with it the whole pid namespace, is gone. Reaps it.
  Result<bool> ended(Nanos patience);
  Result<void> remove(Nanos patience) { return cgroup_->remove(patience); }
  /// The box's mounts: whoever lets go of them last waits for the kernel to take them apart, half a
  /// millisecond for which nobody need wait. Nothing else can reach them once the keeper is gone.
  sys::Fd take_mounts() { return std::move(mounts_); }

 private:
  Result<void> clone_keeper();
  Result<void> write_id_map() const;

  std::unique_ptr<BoxPlan> plan_;
  std::unique_ptr<BoxCgroup> cgroup_;
  Maker maker_;
  sys::Child keeper_;
  sys::Fd mounts_;  ///< may be closed: the keeper then is the last one
  sys::Fd keeper_socket_, program_socket_;
  sys::Fd stdin_, stdout_, stderr_;
  pid_t program_pid_ = -1;
  sys::Fd program_pidfd_;
};

}  // namespace pybox::box
