#include "sys/runner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>

#include "base/clock.hpp"
#include "sys/fd.hpp"
#include "sys/syscalls.hpp"

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

TEST_CASE("a program's lines and output come as it runs, and no more is kept than was said") {
  std::vector<std::string> lines;
  RunTerms terms{.patience = std::chrono::seconds(20), .kept = 70000_B};
  terms.line = [&](std::string_view line) { lines.emplace_back(line.substr(0, 8)); };
  const auto result = run_to_end(
      shell("echo one; printf 'two\\rthree' >&2; head -c 3000000 /dev/zero; exit 3"), terms);
  REQUIRE(result);
  CHECK(result->status.code == 3);
  CHECK(result->out.size() == 70000);
  CHECK(result->err == "two\rthree");
  CHECK(std::count(lines.begin(), lines.end(), "two") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "three") == 1);
}

TEST_CASE("a program is told to stop first, and killed when it does not") {
  RunTerms terms{.patience = Millis(300), .stop_signal = SIGTERM};
  const auto told =
      run_to_end(shell("trap 'echo told; exit 0' TERM; while :; do sleep 0.01; done"), terms);
  REQUIRE(told);
  CHECK(told->timed_out);
  CHECK_FALSE(told->ok());
  CHECK(told->out == "told\n");
  Pipe cancel = make_pipe().value();
  cancel.write.reset();
  terms = {.patience = std::chrono::seconds(20), .cancel_fd = cancel.read.get()};
  const auto killed = run_to_end(shell("trap '' TERM INT; sleep 20"), terms);
  REQUIRE(killed);
  CHECK(killed->cancelled);
  CHECK(killed->status.by_signal);
  CHECK(killed->took < std::chrono::seconds(10));
  CHECK(::fcntl(cancel.read.get(), F_GETFD) >= 0);
}

TEST_CASE("what a program leaves behind holds nobody up, and ends with its session") {
  SpawnPlan plan = shell("sleep 3600 & echo $!");
  plan.new_session = true;
  const auto result = run_to_end(plan, {.patience = std::chrono::seconds(20)});
  REQUIRE(result);
  CHECK(result->ok());
  CHECK(result->took < std::chrono::seconds(10));
  const Fd left(pidfd_open(std::stoi(result->out)));
  pollfd ended{left.get(), POLLIN, 0};
  CHECK((!left.is_open() || ::poll(&ended, 1, 5000) == 1));
}

TEST_CASE("a program that cannot be executed is an error and leaves no process") {
  SpawnPlan plan;
  plan.program = "/dev/null";
  const auto refused = spawn(plan);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "starting /dev/null: Permission denied");
  plan = shell("true");
  plan.folder = "/nowhere/at/all";
  const auto nowhere = spawn(plan);
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().message() == "starting /bin/sh: No such file or directory");
  plan = shell("true");
  plan.fds = {{9999, 3}};
  CHECK(spawn(plan).error().message() == "passing a descriptor: Bad file descriptor");
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("descriptors take the numbers of the plan, in whatever order they stand here") {
  const Pipe first = make_pipe().value();
  const Pipe second = make_pipe().value();
  // What a careless caller of ours handed down, without close-on-exec.
  const Fd inherited(::dup(first.read.get()));
  // At one of these numbers a copy of the second one would stand, were it not lifted above all.
  for (int number = 5; number < 20; ++number) {
    REQUIRE(write_all(first.write.get(), "a\n"));
    REQUIRE(write_all(second.write.get(), "b\n"));
    const std::string there = std::to_string(number);
    SpawnPlan plan =
        shell("read x </proc/self/fd/" + there +
              "; read y <&4; echo $x$y; ls /proc/self/fd | sort -n | tr '\\n' ' '; pwd");
    plan.fds = {{first.read.get(), number}, {second.read.get(), 4}};
    plan.folder = "/proc";
    const auto result = run_tool(plan, std::chrono::seconds(10));
    REQUIRE(result);
    // 3 is ls reading the folder.
    CHECK(result->out == "ab\n0 1 2 3 4 " + there + " /proc\n");
  }
}

TEST_CASE("signals that are ignored or blocked here are neither in a started program") {
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto result =
      run_tool(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"), std::chrono::seconds(10));
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  std::signal(SIGPIPE, previous);
  REQUIRE(result);
  CHECK(result->out == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  CHECK(::sigismember(&after, SIGUSR1) == 1);
  CHECK(::sigismember(&after, SIGUSR2) == 0);
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

}  // namespace pybox::sys
