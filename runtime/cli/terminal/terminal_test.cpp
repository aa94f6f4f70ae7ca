#include "cli/terminal/terminal.hpp"

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>

#include "cli/terminal/capture_for_tests.hpp"
#include "cli/terminal/exit_code.hpp"

namespace pybox::cli {

TEST_CASE("an error is one line, its hint another, and neither drives a terminal") {
  const Error plain(ErrorKind::Usage, "no such thing");
  CHECK(error_text(plain, false) == "error: no such thing\n");
  const Error hinted =
      Error(ErrorKind::NotRunning, "the VM is not running").hint("start it\x1b[2J");
  CHECK(error_text(hinted, false) == "error: the VM is not running\nhint: start it\\x1b[2J\n");
  CHECK(error_text(Error(ErrorKind::Io, "a\nhint: run me"), false) ==
        "error: a\\x0ahint: run me\n");
  CHECK(error_text(hinted, true) ==
        "\x1b[1;31merror:\x1b[0m the VM is not running\n\x1b[36mhint:\x1b[0m start it\\x1b[2J\n");
}

TEST_CASE("what is not a terminal gets no colour") {
  ::unsetenv("NO_COLOR");
  Captured captured;
  const Terminal terminal = probe_terminal();
  captured.stop();
  CHECK_FALSE(terminal.out_is_terminal);
  CHECK_FALSE(terminal.err_is_terminal);
  CHECK_FALSE(terminal.colour);
}

TEST_CASE("a reader of stdout that went away is not an error") {
  Captured captured;
  auto pipe = sys::make_pipe();
  ::dup2(pipe->write.get(), 1);
  pipe->write.reset();
  pipe->read.reset();
  const auto gone = print("x");
  const sys::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ::dup2(full.get(), 1);
  const auto no_space = print("x");
  captured.stop();
  CHECK(gone);
  REQUIRE_FALSE(no_space);
  CHECK(no_space.error().message() == "stdout: writing: No space left on device");
}

TEST_CASE("each kind of error has its exit code") {
  CHECK(exit_code_for(ErrorKind::Usage) == 2);
  CHECK(exit_code_for(ErrorKind::Refused) == 126);
  CHECK(exit_code_for(ErrorKind::Interrupted) == 130);
  for (const ErrorKind kind : {ErrorKind::HostCannot, ErrorKind::NotRunning, ErrorKind::Io,
                               ErrorKind::Protocol, ErrorKind::Evidence, ErrorKind::Internal}) {
    CHECK(exit_code_for(kind) == 125);
  }
}

TEST_CASE("each end of a run has its exit code") {
  RunReport report;
  report.cleanup.status = Cleanup::Status::Removed;
  const auto code = [&](Observation observation, std::optional<int> own = std::nullopt) {
    report.outcome.observation = observation;
    report.outcome.exit_code = own;
    return exit_code_for(report);
  };
  for (const int own : {0, 1, 124, 125, 126, 130, 137, 139, 255}) {
    CHECK(code(Observation::TargetExit, own) == own);
  }
  CHECK(code(Observation::SupervisorKill, 137) == 124);
  CHECK(code(Observation::BoxTimerKill, 137) == 124);
  CHECK(code(Observation::OutOfMemoryKill, 137) == 137);
  CHECK(code(Observation::CancelKill, 137) == 130);
  CHECK(code(Observation::BoxLost) == 125);
  CHECK(code(Observation::NotStarted) == 125);
  report.failure = {.refused = true, .message = "no", .hint = ""};
  CHECK(code(Observation::NotStarted) == 126);
  report.failure->refused = false;
  CHECK(code(Observation::NotStarted) == 125);
}

TEST_CASE("a removal that is not confirmed overrides every other exit code") {
  RunReport report;
  report.cleanup.status = Cleanup::Status::Unconfirmed;
  for (const Observation observation :
       {Observation::TargetExit, Observation::SupervisorKill, Observation::BoxTimerKill,
        Observation::OutOfMemoryKill, Observation::CancelKill, Observation::BoxLost}) {
    report.outcome.observation = observation;
    report.outcome.exit_code = 0;
    CHECK(exit_code_for(report) == 125);
  }
}

}  // namespace pybox::cli
