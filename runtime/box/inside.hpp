#pragma once
/// Code that runs inside the new namespaces, between clone and exec. Rules: no allocation, no
/// locks, no logging, no return to the caller's stack; every failure leaves by `give_up`.
///
/// Theory of operation. boxd clones the keeper into fresh user, pid and mount namespaces.
/// The keeper is PID 1 there: it makes the net, ipc and uts namespaces while boxd makes the cgroup,
/// clones the program at once (while its credentials still may place it in that cgroup), builds the
/// root, pivots, tells the program, detaches the old root, gives up everything it does not need,
/// and from then on only waits: for children to reap, for the box timer, for boxd. When it ends, by
/// the timer or by boxd's signal, the kernel ends every process of the namespace.
///   boxd ── keeper_socket ── keeper        Mapped, Go / Ended, TimerFired, Failed
///   boxd ── program_socket ── program      Start / Sealed, Failed    (close-on-exec)
///   keeper ── root_socket ── program       RootReady

#include <span>

#include "box/messages.hpp"
#include "box/plan.hpp"

namespace pybox::box {

/// Raw descriptors inside the box; the process dies with them, so nobody owns them.
struct InsideFds {
  int keeper_socket = -1;
  int program_socket = -1;
  int root_socket_keeper = -1;
  int root_socket_program = -1;
  int stdin_fd = -1;
  int stdout_fd = -1;
  int stderr_fd = -1;
  int into_cgroup = -1;               ///< v2
  std::span<const int> cgroup_tasks;  ///< v1
  int outer_proc = -1;                ///< a control arm without a pid namespace: boxd's /proc
};

/// Everything prepared by boxd before the clone: no pointer here needs allocation to be used.
struct InsideWork {
  const BoxPlan* plan = nullptr;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* tmpfs_size = nullptr;  ///< "67108864"
  const char* tmpfs_inodes = nullptr;
  InsideFds fds;
};

/// Tells boxd what failed and leaves.
[[noreturn]] void give_up(int socket, const char* doing);

/// The keeper's whole life.
[[noreturn]] void keeper_main(const InsideWork& work);
/// The program's life up to execve.
[[noreturn]] void program_main(const InsideWork& work, bool memfd_noexec);

/// Mounts that need boxd's own credentials (before the keeper changes its ids). Dies on failure.
struct RootParts {
  int root = -1;
  int proc = -1;
  int dev = -1;
  int tmp = -1;
};
/// A detached procfs of the caller's pid namespace, masked as planned; -1 and errno.
int make_proc(const BoxPlan& plan);
RootParts make_root_parts(const InsideWork& work);
/// Writes the inputs into the open folder `input` (box/input.cpp). Dies on failure.
void fill_input(const InsideWork& work, int input);
/// Puts the parts together, fills /dev and /tmp, writes the program, pivots: every process of the
/// box has the new root then. Dies on failure.
void assemble_root(const InsideWork& work, const RootParts& parts);
/// Detaches the old root, which still lies over the new one. The kernel waits for a grace period
/// here, while the program is read back. Dies on failure.
void detach_old_root(const InsideWork& work);

}  // namespace pybox::box
