#pragma once
/// The one process that owns a VM.
///
/// Theory of operation: `pybox vm start` starts it in a session of its own and waits for its word
/// on a pipe; it holds the life lock (vm/lock.hpp), starts QEMU as its child, and serves
/// run/vm.sock until somebody stops it or QEMU ends. Clients speak frames (link/frame.hpp): Run,
/// Stdin and Stop go on to boxd under run numbers of the supervisor's own, answers come back under
/// the client's. It believes neither side: frames of a guest for runs it does not have are dropped,
/// so are frames a client may not send. When QEMU ends, all clients lose their connection at once,
/// which a client reads as a lost box; then nothing of the VM is left, and neither is the
/// supervisor. Only while no client's run has reached the guest yet (vm/warm_up.hpp) is a guest
/// that ended replaced by another, and the clients notice nothing but the time.

#include <functional>
#include <optional>

#include "base/result.hpp"
#include "vm/config.hpp"
#include "vm/launch.hpp"

namespace pybox::vm {

/// How the supervisor tells the start that waits for it. All may be called when nobody waits.
struct StartReport {
  StartWatcher watcher;         ///< its `aborted` is not asked once `ready` was called
  std::function<void()> ready;  ///< the socket is open
  /// The last call: the guest has run its first box, or the VM was lost before (why).
  std::function<void(const std::optional<Error>& lost)> settled;
};

/// Starts the VM and serves until its end. An Error means that it did not start; telling the
/// starter is the caller's. Leaves no process, socket or pid file behind.
Result<void> supervise(const Config& config, const StartReport& report);

}  // namespace pybox::vm
