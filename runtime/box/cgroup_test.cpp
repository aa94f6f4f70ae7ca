#include "box/cgroup.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "box/cgroup_makers.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::box {
namespace {

namespace fs = std::filesystem;

/// The last part of the path of a cgroup that this process is in; empty where all are the top.
std::string some_group_of_ours() {
  const std::string groups = sys::read_file("/proc/self/cgroup").value();
  for (std::string_view lines = groups; !lines.empty();) {
    const std::string_view path = take_line(lines);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (!name.empty()) return std::string(name);
  }
  return "";
}

[[noreturn]] void echo_for_ever(int fd) {
  for (char letter = 0; ::read(fd, &letter, 1) == 1 && ::write(fd, &letter, 1) == 1;) {
  }
  ::_exit(0);
}

/// A process that was killed while it waited for the question does not answer it.
bool answers(const sys::Fd& fd) {
  char letter = 'x';
  return ::send(fd.get(), &letter, 1, MSG_NOSIGNAL) == 1 && ::read(fd.get(), &letter, 1) == 1;
}

}  // namespace

TEST_CASE("a process that is not a member of a cgroup is not killed for its number") {
  const fs::path folder = fs::temp_directory_path() / ("pybox-members-" + random_hex(6));
  fs::create_directory(folder);
  auto ends = sys::make_socket_pair();
  REQUIRE(ends);
  const pid_t child = ::fork();
  if (child == 0) echo_for_ever(ends->second.get());
  ends->second.reset();
  REQUIRE(child > 0);
  std::ofstream(folder / "cgroup.procs") << child << '\n';
  kill_members(folder);
  CHECK(answers(ends->first));
  // As a member it is: a cgroup of ours by its name.
  const std::string name = some_group_of_ours();
  if (name.empty()) ::kill(child, SIGKILL);
  fs::create_directory(folder / name);
  std::ofstream(folder / name / "cgroup.procs") << child << '\n';
  kill_members(folder / name);
  CHECK_FALSE(answers(ends->first));
  ends->first.reset();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  (void)sys::remove_tree(folder);
}

TEST_CASE("room for boxes is made once, and only where it is lacking") {
  const fs::path folder = fs::temp_directory_path() / ("pybox-room-" + random_hex(6));
  fs::create_directory(folder);
  std::ofstream(folder / "cgroup.subtree_control") << "";
  sys::CgroupHost host;
  host.base = host.own = folder;
  host.prepared = true;
  REQUIRE(make_room(host));
  CHECK(sys::read_file(folder / "cgroup.subtree_control").value().empty());
  host.prepared = false;
  REQUIRE(make_room(host));
  CHECK(sys::read_file(folder / "cgroup.subtree_control").value() == "+memory +pids +cpu");
  CHECK_FALSE(fs::exists(folder / kCallersLeaf));
  fs::remove(folder / "cgroup.subtree_control");
  const auto refused = make_room(host);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind() == ErrorKind::HostCannot);
  CHECK_FALSE(fs::exists(folder / kCallersLeaf));
  (void)sys::remove_tree(folder);
}

}  // namespace pybox::box
