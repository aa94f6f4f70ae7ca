#pragma once
/// The other side of the supervisor's socket: find the VM of this PYBOX_HOME, ask it, end it.

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"
#include "vm/status.hpp"

namespace pybox::vm {

/// A connection to the supervisor. Error kind NotRunning, with the hint how to start it, when there
/// is none.
Result<sys::Fd> connect(const sys::StateDirs& dirs);

/// Asks on an open connection; with `guest` the guest is asked for its counters too, which takes
/// 2 s when it hangs. Error kind HostCannot when there is no answer in time.
enum class AskGuest { No, Yes };
Result<Status> ask_status(const sys::Fd& connection, AskGuest guest,
                          Nanos patience = std::chrono::seconds(5));

/// Connects and asks supervisor and guest; a VM that does not run is an answer.
Result<Status> status_of(const sys::StateDirs& dirs);

enum class Stopped { WasNotRunning, Ended, Killed };
/// Ends the VM and waits until nothing of it is left; kills what does not end by itself.
Result<Stopped> stop(const sys::StateDirs& dirs);

/// Removes socket and pid file of a supervisor that is gone. Precondition: nobody holds the life
/// lock.
void remove_leftovers(const sys::StateDirs& dirs);

}  // namespace pybox::vm
