#include "cli/terminal/process_setup.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

namespace pybox::cli {
namespace {

bool is_blocked(int number) {
  sigset_t now;
  sigprocmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, number) == 1;
}

}  // namespace

TEST_CASE("whatever the caller left, signals are as PyBox needs them") {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  ::signal(SIGCHLD, SIG_IGN);
  ::signal(SIGPIPE, SIG_DFL);
  prepare_process();
  struct sigaction now {};
  sigaction(SIGCHLD, nullptr, &now);
  CHECK(now.sa_handler == SIG_DFL);
  sigaction(SIGPIPE, nullptr, &now);
  CHECK(now.sa_handler == SIG_IGN);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE})
    CHECK_FALSE(is_blocked(number));
}

TEST_CASE("closed standard descriptors become /dev/null") {
  const int out = ::dup(1);
  ::close(1);
  prepare_process();
  const bool is_open = ::write(1, "x", 1) == 1;
  char name[64] = {};
  const ssize_t size = ::readlink("/proc/self/fd/1", name, sizeof name - 1);
  ::dup2(out, 1);
  ::close(out);
  CHECK(is_open);
  CHECK(size == 9);
  CHECK(std::string(name) == "/dev/null");
}

TEST_CASE("a signal makes the descriptor readable instead of ending the process") {
  prepare_process();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    auto signals = CancelSignals::watch();
    REQUIRE(signals);
    CHECK_FALSE(signals->came());
    ::kill(::getpid(), number);
    pollfd one{signals->fd(), POLLIN, 0};
    CHECK(::poll(&one, 1, 1000) == 1);
    CHECK(signals->came());
    // Take it off, so that nothing is pending for the next round.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    const timespec none{};
    CHECK(::sigtimedwait(&set, nullptr, &none) == number);
  }
}

TEST_CASE("a signal that the caller ignored stays ignored") {
  prepare_process();
  ::signal(SIGHUP, SIG_IGN);
  auto signals = CancelSignals::watch();
  REQUIRE(signals);
  CHECK_FALSE(is_blocked(SIGHUP));
  CHECK(is_blocked(SIGTERM));
  ::kill(::getpid(), SIGHUP);
  CHECK_FALSE(signals->came());
}

}  // namespace pybox::cli
