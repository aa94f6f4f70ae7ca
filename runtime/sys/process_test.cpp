#include "sys/process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "sys/runner.hpp"

namespace pybox::sys {
namespace {

SpawnPlan shell_child(const std::string& script) {
  SpawnPlan plan;
  plan.program = "/bin/sh";
  plan.args = {"-c", script};
  return plan;
}

/// No process of ours is left, ended or not: a zombie is one too.
bool has_no_child() { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

/// Until one that was let go has ended.
bool one_ended() {
  pollfd ended{let_go_fd(), POLLIN, 0};
  return ::poll(&ended, 1, 10'000) == 1;
}

}  // namespace

TEST_CASE("a child that is dropped is killed and reaped") {
  pid_t pid = -1;
  {
    auto child = spawn(shell_child("sleep 30"));
    REQUIRE(child);
    pid = child->pid();
    CHECK(::kill(pid, 0) == 0);
  }
  CHECK(::kill(pid, 0) == -1);
}

TEST_CASE("a process that was let go lives on, and is reaped when it has ended") {
  Pipe hold = make_pipe().value();
  SpawnPlan plan = shell_child("read word");
  plan.fds = {{hold.read.get(), 0}};
  spawn(plan).value().disown();
  reap_let_go();
  CHECK(::waitpid(-1, nullptr, WNOHANG) == 0);
  hold.write.reset();
  REQUIRE(one_ended());
  CHECK_FALSE(has_no_child());
  reap_let_go();
  CHECK(has_no_child());
}

TEST_CASE("the next start reaps those that were let go before") {
  spawn(shell_child("true")).value().disown();
  REQUIRE(one_ended());
  Child next = spawn(shell_child("sleep 30")).value();
  CHECK(::waitpid(-1, nullptr, WNOHANG) == 0);
}

TEST_CASE("processes let go and reaped from many threads at once all end reaped") {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int n = 0; n < 25; ++n) {
        auto child = spawn(shell_child("true"));
        if (child) child->disown();
        reap_let_go();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  while (!has_no_child() && one_ended()) reap_let_go();
  CHECK(has_no_child());
}

}  // namespace pybox::sys
