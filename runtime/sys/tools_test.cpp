#include "sys/tools.hpp"

#include <poll.h>

#include <catch2/catch_test_macros.hpp>

#include "base/clock.hpp"
#include "sys/fd.hpp"
#include "sys/syscalls.hpp"

namespace pybox::sys {
namespace {

constexpr Nanos kPatience = std::chrono::seconds(20);

sys::SpawnPlan shell_tool(const std::string& script) {
  sys::SpawnPlan plan;
  plan.program = "/bin/sh";
  plan.args = {"-c", script};
  plan.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  return plan;
}

/// The process has ended, or does within a few seconds; it may still wait to be reaped by init.
bool is_ended(const std::string& pid_line) {
  const sys::Fd pidfd(sys::pidfd_open(std::stoi(pid_line)));
  if (!pidfd.is_open()) return true;
  pollfd ended{pidfd.get(), POLLIN, 0};
  return ::poll(&ended, 1, 5000) == 1;
}

}  // namespace

TEST_CASE("a tool's output comes back whole and line by line") {
  NoProgress quiet;
  std::vector<std::string> lines;
  ToolWatch watch;
  watch.line = [&](std::string_view line) { lines.emplace_back(line); };
  const auto result = Tools(quiet).run(
      shell_tool("echo one; echo two >&2; printf 'three\\rfour'; exit 3"), kPatience, watch);
  REQUIRE(result);
  CHECK(!result->ok());
  CHECK(result->status.code == 3);
  CHECK(result->out == "one\nthree\rfour");
  CHECK(result->err == "two\n");
  CHECK(lines.size() == 4);
}

TEST_CASE("what a tool left behind is killed when it has ended, and only then is the lock let go") {
  NoProgress quiet;
  sys::Pipe lock = sys::make_pipe().value();
  const auto result = Tools(quiet, lock.write.get())
                          .run(shell_tool("sleep 3600 >/dev/null 2>&1 & echo $!"), kPatience);
  REQUIRE(result);
  REQUIRE(result->ok());
  CHECK(is_ended(result->out));
  // A pipe's reader sees its end once nobody holds the other one.
  lock.write.reset();
  pollfd watched{lock.read.get(), POLLIN, 0};
  CHECK(::poll(&watched, 1, 5000) == 1);
  CHECK((watched.revents & POLLHUP) != 0);
}

TEST_CASE("a tool that takes too long is ended with all it started") {
  NoProgress quiet;
  std::string pid;
  ToolWatch watch;
  watch.line = [&](std::string_view line) { pid = line; };
  const Nanos began = monotonic_now();
  const auto result = Tools(quiet).run(shell_tool("sleep 3600 & echo $!; sleep 3600; true"),
                                       std::chrono::milliseconds(500), watch);
  REQUIRE(!result);
  CHECK(result.error().kind() == ErrorKind::HostCannot);
  CHECK(result.error().message() == "`sh` did not end within 0.500 s");
  CHECK(monotonic_now() - began < std::chrono::seconds(10));
  CHECK(is_ended(pid));
}

TEST_CASE("a tool that failed is named with its last words, and a full disk with its remedy") {
  NoProgress quiet;
  const auto failed =
      Tools(quiet).run_well(shell_tool("echo 'bad \033[2Jnews' >&2; exit 7"), kPatience);
  REQUIRE(!failed);
  CHECK(failed.error().message() == "`sh` failed with exit code 7:\nbad \\x1b[2Jnews");
  const auto full =
      Tools(quiet).run_well(shell_tool("echo 'x: No space left on device' >&2; exit 1"), kPatience);
  REQUIRE(!full);
  CHECK(full.error().message() == "no space left on the disk while running `sh`");
  CHECK(full.error().hint().find("PYBOX_HOME") != std::string::npos);
}

TEST_CASE("missing tools are named together with the packages that bring them") {
  CHECK(require_tools({"sh"}));
  const auto missing = require_tools({"sh", "pybox-no-such-tool", "pybox-nor-this"});
  REQUIRE(!missing);
  CHECK(missing.error().kind() == ErrorKind::HostCannot);
  CHECK(missing.error().message() == "`pybox-no-such-tool`, `pybox-nor-this` are not installed");
  CHECK(missing.error().hint() ==
        "install with: apt-get install pybox-no-such-tool pybox-nor-this");
  CHECK(package_of_tool("mkfs.erofs") == "erofs-utils");
}

}  // namespace pybox::sys
