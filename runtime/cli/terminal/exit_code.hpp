#pragma once
/// The exit codes of docs/cli.md, in one place.

#include "base/error.hpp"
#include "receipt/report.hpp"

namespace pybox::cli {

namespace exit_code {
constexpr int kOk = 0;
constexpr int kDoesNotHold = 1;  ///< `pybox verify`: the receipt does not hold
constexpr int kUsage = 2;
constexpr int kTimedOut = 124;
constexpr int kCannot = 125;   ///< PyBox could not do its job
constexpr int kRefused = 126;  ///< refused before any box was made
constexpr int kInterrupted = 130;
constexpr int kOutOfMemory = 137;
}  // namespace exit_code

/// For an error that ends a command.
int exit_code_for(ErrorKind kind);

/// For a run that has a report. Cleanup that was not confirmed overrides everything else.
int exit_code_for(const RunReport& report);

}  // namespace pybox::cli
