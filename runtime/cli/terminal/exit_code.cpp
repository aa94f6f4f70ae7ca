#include "cli/terminal/exit_code.hpp"

namespace pybox::cli {

int exit_code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Usage: return exit_code::kUsage;
    case ErrorKind::Refused: return exit_code::kRefused;
    case ErrorKind::Interrupted: return exit_code::kInterrupted;
    case ErrorKind::HostCannot:
    case ErrorKind::NotRunning:
    case ErrorKind::Io:
    case ErrorKind::Protocol:
    case ErrorKind::Evidence:
    case ErrorKind::Internal: return exit_code::kCannot;
  }
  return exit_code::kCannot;
}

int exit_code_for(const RunReport& report) {
  if (report.cleanup.status == Cleanup::Status::Unconfirmed) return exit_code::kCannot;
  switch (report.outcome.observation) {
    case Observation::TargetExit: return report.outcome.exit_code.value_or(exit_code::kCannot);
    case Observation::SupervisorKill:
    case Observation::BoxTimerKill: return exit_code::kTimedOut;
    case Observation::OutOfMemoryKill: return exit_code::kOutOfMemory;
    case Observation::CancelKill: return exit_code::kInterrupted;
    case Observation::BoxLost: return exit_code::kCannot;
    case Observation::NotStarted:
      return report.failure && report.failure->refused ? exit_code::kRefused : exit_code::kCannot;
  }
  return exit_code::kCannot;
}

}  // namespace pybox::cli
