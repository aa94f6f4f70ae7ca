#pragma once
/// `pybox vm start|stop|status|logs`, and the process behind them.
///
/// One supervisor (`pybox vm-supervise`, hidden from the help) runs for each PYBOX_HOME while its
/// VM does; vm/supervisor.hpp tells how. These functions print to stdout (status, logs) and stderr
/// and return the exit code; an Error is for the caller to print, its kind picks the exit code
/// (HostCannot and NotRunning: 125).

#include <span>
#include <string>

#include "base/result.hpp"

namespace pybox::cli {

/// Starts the VM, or finds it running. Waits until it serves. `json`: as vm_status() at the end.
Result<int> vm_start(bool json);
/// Stops it and waits until nothing is left of it; a VM that does not run is no error.
Result<int> vm_stop(bool json);
/// {"running","pid","accelerator","memory_bytes","cpus","uptime_s","state","images"[,…]} or one
/// line for people. Exit code 0 whether it runs or not.
Result<int> vm_status(bool json);
/// The console and QEMU's own words of the running or the last VM, made safe for a terminal.
Result<int> vm_logs(bool json);

/// The hidden command `vm-supervise`: `words` is everything after that word. main() hands over
/// before any parsing: if (words[0] == "vm-supervise") return run_vm_supervisor(words.subspan(1)).
int run_vm_supervisor(std::span<const std::string> words);

}  // namespace pybox::cli
