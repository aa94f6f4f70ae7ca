#include "sys/process.hpp"

#include <catch2/catch_test_macros.hpp>
#include <csignal>

#include "base/clock.hpp"

namespace pybox::sys {
namespace {

SpawnPlan shell(const std::string& script) {
  SpawnPlan plan;
  plan.program = "/bin/sh";
  plan.args = {"-c", script};
  plan.environment = {"PATH=/usr/bin:/bin"};
  return plan;
}

}  // namespace

TEST_CASE("a tool's output, exit code and signal come back") {
  const auto good = run_tool(shell("echo out; echo err >&2; exit 3"), std::chrono::seconds(10));
  REQUIRE(good);
  CHECK(good->out == "out\n");
  CHECK(good->err == "err\n");
  CHECK(good->status.code == 3);
  CHECK_FALSE(good->ok());
  const auto killed = run_tool(shell("kill -9 $$"), std::chrono::seconds(10));
  REQUIRE(killed);
  CHECK(killed->status.by_signal);
  CHECK(killed->status.code == SIGKILL);
}

TEST_CASE("a tool that does not end is stopped and is an error") {
  const Nanos before = monotonic_now();
  const auto result = run_tool(shell("sleep 30"), Millis(200));
  REQUIRE_FALSE(result);
  CHECK(result.error().message().find("did not end") != std::string::npos);
  CHECK(monotonic_now() - before < std::chrono::seconds(5));
}

TEST_CASE("a missing tool is named") {
  SpawnPlan plan;
  plan.program = "no-such-tool-here";
  const auto result = spawn(plan);
  REQUIRE_FALSE(result);
  CHECK(result.error().message() == "`no-such-tool-here` is not installed");
}

TEST_CASE("a started program gets no environment and no descriptor that was not named") {
  ::setenv("PYBOX_TEST_SECRET", "s3cret", 1);
  const auto result =
      run_tool(shell("env; ls /proc/self/fd | sort -n | tr '\\n' ' '"), std::chrono::seconds(10));
  REQUIRE(result);
  CHECK(result->out.find("s3cret") == std::string::npos);
  CHECK(result->out.find("0 1 2 3 \n") == std::string::npos);
  CHECK(result->out.ends_with("0 1 2 3 "));  // 3 is ls reading the folder
}

TEST_CASE("a child started while SIGCHLD is ignored can still be waited for") {
  const auto previous = std::signal(SIGCHLD, SIG_DFL);
  auto child = spawn(shell("trap '' TERM; exit 7"));
  REQUIRE(child);
  const auto status = child->wait(std::chrono::seconds(10));
  REQUIRE(status);
  REQUIRE(status->has_value());
  CHECK((*status)->code == 7);
  std::signal(SIGCHLD, previous);
}

TEST_CASE("a child that is dropped is killed and reaped") {
  pid_t pid = -1;
  {
    auto child = spawn(shell("sleep 30"));
    REQUIRE(child);
    pid = child->pid();
    CHECK(::kill(pid, 0) == 0);
  }
  CHECK(::kill(pid, 0) == -1);
}

}  // namespace pybox::sys
