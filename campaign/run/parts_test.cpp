#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/clock.hpp"
#include "base/strict_json.hpp"
#include "campaign/run/driver.hpp"
#include "campaign/run/host_facts.hpp"
#include "campaign/run/host_identity.hpp"
#include "campaign/run/program.hpp"
#include "campaign/run/redact.hpp"
#include "files/folder_for_tests.hpp"
#include "sys/file.hpp"
#include "sys/runner.hpp"

namespace pybox::campaign {
namespace {

TEST_CASE("a program gets its ASK whatever characters are in it") {
  const auto ask = ask_json("ab", R"({"t":"it's \\ \"q\" \u00e4\ud83d\ude00\n"})", R"({"x":null})");
  REQUIRE(ask.has_value());
  files::TestFolder folder;
  const std::string program =
      program_text(*ask, "import json", "print(json.dumps(ASK, sort_keys=True))");
  REQUIRE(sys::replace_file(folder.path / "p.py", program).has_value());
  sys::SpawnPlan plan;
  plan.program = "python3";
  plan.args = {(folder.path / "p.py").string()};
  plan.environment = sys::tool_environment();
  const auto ran = sys::run_tool(plan, std::chrono::seconds(30));
  REQUIRE(ran.has_value());
  CHECK(ran.value().out ==
        "{\"args\": {\"t\": \"it's \\\\ \\\"q\\\" \\u00e4\\ud83d\\ude00\\n\"}, "
        "\"nonce\": \"ab\", \"world\": {\"x\": null}}\n");
}

TEST_CASE("ASK is made of objects only") {
  CHECK_FALSE(ask_json("ab", "[]", "{}").has_value());
  CHECK_FALSE(ask_json("ab", "{}", "{").has_value());
}

Result<DriverRun> drive(const std::string& text, Nanos timeout = std::chrono::seconds(30),
                        int cancel_fd = -1) {
  files::TestFolder folder;
  REQUIRE(sys::replace_file(folder.path / "d.py", text).has_value());
  REQUIRE(sys::replace_file(folder.path / "neighbour.py", "WORD = 'hello'\n").has_value());
  return run_driver({.folder = folder.path,
                     .name = "d.py",
                     .ask = R"({"nonce":"n"})",
                     .home = folder.path,
                     .timeout = timeout,
                     .cancel_fd = cancel_fd});
}

TEST_CASE("a driver reads its question, imports its neighbours and answers") {
  const auto run = drive(
      "import json, neighbour, os, sys\n"
      "print(json.load(sys.stdin)['nonce'], neighbour.WORD, os.getpgid(0) == os.getpid())\n"
      "print(os.environ['HOME'] == os.getcwd(), file=sys.stderr)\n");
  REQUIRE(run.has_value());
  CHECK(run.value().out == "n hello True\n");
  CHECK(run.value().err == "True\n");
  CHECK(run.value().trouble.empty());
}

TEST_CASE("a driver that fails, dies or does not end is trouble that says so") {
  CHECK(drive("raise SystemExit(3)\n").value().trouble == "the driver ended with exit code 3");
  CHECK(drive("import os; os.kill(os.getpid(), 9)\n").value().trouble ==
        "the driver died of signal 9");
  const auto late =
      drive("import time\nprint('x', flush=True)\ntime.sleep(60)\n", std::chrono::seconds(2));
  CHECK(late.value().trouble == "the driver did not end within 2 s");
  CHECK(late.value().duration < std::chrono::seconds(20));
}

TEST_CASE("what a driver started in its group is gone when it has ended, and holds nobody up") {
  const auto run = drive(
      "import subprocess\n"
      "child = subprocess.Popen(['sleep', '60'])\n"
      "print(child.pid, flush=True)\n");
  REQUIRE(run.has_value());
  CHECK(run.value().duration < std::chrono::seconds(20));
  const pid_t child = std::stoi(run.value().out);
  // Killed, it is taken over by init; at most a zombie is left of it, a moment later.
  const auto is_dead = [&] {
    const auto stat = sys::read_file("/proc/" + std::to_string(child) + "/stat");
    return !stat || stat.value().find(") Z") != std::string::npos;
  };
  const Nanos deadline = monotonic_now() + std::chrono::seconds(10);
  while (!is_dead() && monotonic_now() < deadline) ::poll(nullptr, 0, 20);
  CHECK(is_dead());
}

TEST_CASE("a driver that is cancelled ends at once") {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  REQUIRE(::write(ends[1], "x", 1) == 1);
  const auto run = drive("import time\ntime.sleep(60)\n", std::chrono::seconds(60), ends[0]);
  ::close(ends[0]);
  ::close(ends[1]);
  REQUIRE(run.has_value());
  CHECK(run.value().cancelled);
  CHECK(run.value().duration < std::chrono::seconds(20));
}

TEST_CASE("of a driver's output the first part is kept and the rest read") {
  const auto run = drive("import sys\nsys.stdout.write('x' * (3 << 20))\n");
  REQUIRE(run.has_value());
  CHECK(run.value().out.size() == kDriverOutputKept.count);
  CHECK(run.value().trouble.empty());
}

TEST_CASE("the redactor finds a planted secret, and without it the secret is there") {
  const std::string text = "kernel on build-7.example by alice in /home/alice/x; malice, rootfs";
  const Redactor on(
      Secrets{{"build-7.example", "host"}, {"alice", "user"}, {"/home/alice", "home"}});
  const Redactor off({});
  CHECK(on.clean(text) == "kernel on <host> by <user> in <home>/x; malice, rootfs");
  CHECK(off.clean(text) == text);
  CHECK(on.clean(on.clean(text)) == on.clean(text));
}

TEST_CASE("the redactor leaves what is too short to be told from other text") {
  const Redactor redactor(Secrets{{"vm", "host"}, {"", "user"}});
  CHECK(redactor.clean("vm and kvm") == "vm and kvm");
  CHECK(Redactor(Secrets{{"nonce", "user"}}).clean("{\"nonce\":1}") == "{\"nonce\":1}");
}

TEST_CASE("a path is found as a whole, and what was put for a secret is not looked through again") {
  const Redactor redactor(Secrets{{"/home/al", "home"}, {"host", "user"}, {"build-7", "host"}});
  CHECK(redactor.clean("/home/al /home/al/x a=/home/al: /home/alice") ==
        "<home> <home>/x a=<home>: /home/alice");
  CHECK(redactor.clean("build-7 build-70 xbuild-7") == "<host> build-70 xbuild-7");
}

TEST_CASE("what identifies this host is known: its names, numbers, addresses and folders") {
  const Secrets secrets = secrets_of_this_host({"/h/pybox", "/s/build/bin", "/s"});
  const auto is_secret = [&](const std::string& text, const std::string& word) {
    return std::find(secrets.begin(), secrets.end(), std::pair(text, word)) != secrets.end();
  };
  CHECK(is_secret("/h/pybox", "pybox-home"));
  CHECK(is_secret("/s/build/bin", "programs"));
  CHECK(is_secret("/s", "source"));
  std::string boot = sys::read_file("/proc/sys/kernel/random/boot_id").value();
  boot.pop_back();
  CHECK(is_secret(boot, "boot-id"));
  std::string host = sys::read_file("/proc/sys/kernel/hostname").value();
  host.pop_back();
  CHECK(is_secret(host, "host"));
  CHECK_FALSE(is_secret("127.0.0.1", "address"));
  CHECK_FALSE(is_secret("::1", "address"));
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/net")) {
    const auto mac = sys::read_file(entry.path() / "address");
    if (entry.path().filename() == "lo" || !mac || mac->empty()) continue;
    INFO(*mac);
    CHECK(is_secret(mac->substr(0, mac->size() - 1), "mac"));
  }
}

TEST_CASE("a keyed digest is HMAC-SHA-256") {
  // RFC 4231, test case 2; and a key longer than a block, test case 6.
  CHECK(keyed_digest("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(keyed_digest(std::string(131, '\xaa'),
                     "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("what a check needs is looked for on its engine") {
  Check check;
  check.engine = EngineKind::Native;
  check.needs = {"cgroup-v2", "swap", "root"};
  HostFacts host;
  host.cgroup = "v1";
  CHECK(lacking(check, host) == "needs cgroup-v2, swap, root");
  host.cgroup = "v2";
  host.has_swap = host.is_root = true;
  CHECK(lacking(check, host).empty());
  check.engine = EngineKind::Vm;
  CHECK(lacking(check, HostFacts{}) == "needs swap");
  host.vm_trouble = "QEMU is not installed";
  CHECK(lacking(check, host) == "QEMU is not installed");
  check.needs = {"cgroup-v1"};
  CHECK(lacking(check, HostFacts{}) == "needs cgroup-v1");
  host.vm_trouble.clear();
  host.is_root = false;
  check.needs.clear();
  check.cut = {"cred.caps", "ns.user"};
  CHECK(lacking(check, host).empty());
  check.engine = EngineKind::Native;
  CHECK(lacking(check, host) == "needs root");
  host.is_root = true;
  CHECK(lacking(check, host).empty());
}

}  // namespace
}  // namespace pybox::campaign
