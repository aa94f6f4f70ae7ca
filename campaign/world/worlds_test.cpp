/// Drives real worlds: what is planted is out of a box's reach with every protection, in its reach
/// without those that stand between, and gone afterwards.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "base/clock.hpp"
#include "campaign/world/world.hpp"
#include "store/registry.hpp"
#include "sys/cgroup.hpp"
#include "sys/file.hpp"
#include "sys/runner.hpp"
#include "sys/syscalls.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

/// Tries everything in WORLD and prints what it got.
constexpr const char* kReachAll = R"py(
import os, socket, ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
def stream(family, address):
    with socket.socket(family) as s:
        s.settimeout(5)
        s.connect(tuple(address) if isinstance(address, list) else address)
        return s.recv(99).decode()
def datagram():
    with socket.socket(type=socket.SOCK_DGRAM) as s:
        s.settimeout(0.5)
        s.sendto(b"?", tuple(WORLD["udp"]))
        return s.recv(99).decode()
def segment():
    at = libc.shmat(libc.shmget(WORLD["shm_key"], 0, 0), None, 0o10000)
    return ctypes.string_at(at, 64).decode() if at != 2**64 - 1 else ""
def queue():
    message = ctypes.create_string_buffer(80)
    size = libc.msgrcv(libc.msgget(WORLD["msg_key"], 0), message, 72, 0, 0o4000)
    return message.raw[8:8 + max(size, 0)].decode()
def key():
    text = ctypes.create_string_buffer(80)
    libc.syscall(250, 11, WORLD["key_id"], text, 80)  # KEYCTL_READ
    return text.value.decode()
def read(path):
    with open(path) as file:
        return file.read()
for attempt in (
        lambda: read("/var" + WORLD["file"]), lambda: read("/var" + WORLD["file_group"]),
        lambda: stream(socket.AF_UNIX, "/var" + WORLD["unix"]),
        lambda: stream(socket.AF_UNIX, WORLD["abstract"]),
        lambda: stream(socket.AF_INET, WORLD["tcp"]), lambda: stream(socket.AF_INET6, WORLD["tcp6"]),
        lambda: stream(socket.AF_INET, WORLD["host"]),
        lambda: stream(socket.AF_INET, WORLD["metadata"]), datagram, segment, queue, key,
        lambda: os.environ[WORLD["env"]], lambda: os.pread(WORLD["fd"], 99, 0).decode(),
        lambda: read("/proc/%d/cmdline" % WORLD["process"]).replace("\0", " "), socket.gethostname):
    try:
        got = attempt()
        if got:
            print(got)
    except (OSError, KeyError, ValueError):
        pass
open("/var" + WORLD["folder"] + "/victim", "w").close()
)py";

const std::vector<std::string> kCuts = {"ns.net",        "ns.ipc",        "ns.uts",     "ns.pid",
                                        "fs.mask",       "fs.pivot",      "sec.misc",   "sec.keys",
                                        "proc.cleanenv", "proc.closefds", "cred.groups"};

std::string program_for(const World& world) {
  return "import json\nWORLD = json.loads(r'''" + world.ask_world_json() + "''')\n" + kReachAll;
}

fs::path programs() {
  return (fs::read_symlink("/proc/self/exe").parent_path() / "../../bin").lexically_normal();
}

std::optional<WorldSettings> settings_for(EngineKind engine, std::string& missing) {
  const auto dirs = sys::state_dirs();
  if (!dirs) return missing = dirs.error().message(), std::nullopt;
  const auto image = store::find_image(*dirs, "stdlib", "3.13");
  if (!image) return missing = "image: " + image.error().message(), std::nullopt;
  if (engine == EngineKind::Native) {
    const auto cgroup = sys::probe_cgroup_host();
    if (!cgroup) return missing = "cgroup: " + cgroup.error().message(), std::nullopt;
    if (::geteuid() != 0) return missing = "the test looks at what root plants", std::nullopt;
  } else if (!sys::find_program(vm::qemu_program())) {
    return missing = "no QEMU", std::nullopt;
  }
  return WorldSettings{programs(), *dirs, -1};
}

/// Command lines of all processes that contain `text`.
std::vector<std::string> processes_with(const std::string& text) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto line = sys::read_file(entry.path() / "cmdline");
    if (line && line->find(text) != std::string::npos) found.push_back(*line);
  }
  return found;
}

std::size_t worlds_left(const WorldSettings& settings) {
  std::error_code error;
  std::size_t count = 0;
  for (auto at = fs::directory_iterator(settings.dirs.home / "worlds", error);
       !error && at != fs::directory_iterator(); at.increment(error))
    ++count;
  return count;
}

template <class Condition>
bool soon(Condition holds) {
  const Nanos until = monotonic_now() + std::chrono::seconds(20);
  while (!holds() && monotonic_now() < until) ::poll(nullptr, 0, 50);
  return holds();
}

RunReport run(World& world, std::vector<std::string> removed) {
  Check check;
  check.timeout = std::chrono::seconds(25);
  auto report = world.run({check, program_for(world), std::move(removed), -1});
  INFO((report ? "" : report.error().message()));
  REQUIRE(report);
  INFO((report->failure ? report->failure->message : ""));
  REQUIRE_FALSE(report->failure);
  return std::move(*report);
}

void check_reach(World& world) {
  const RunReport sealed = run(world, {});
  CHECK(sealed.seal.verified);
  CHECK(sealed.out.bytes == "pybox\n");
  CHECK(world.take_witnesses().empty());
  const RunReport open = run(world, kCuts);
  for (const char* kind :
       {"file", "file_group", "unix", "abstract", "tcp", "tcp6", "host", "metadata", "udp", "shm",
        "msg", "key", "env", "fd", "process", "hostname"}) {
    INFO(kind << " is not in:\n" << open.out.bytes);
    CHECK(open.out.bytes.find(world.canary() + ":" + kind) != std::string::npos);
  }
  std::vector<std::string> differs;
  for (const SealCheck& check : open.seal.checks) {
    if (!check.ok) differs.push_back(check.name);
  }
  CHECK(differs.size() == kCuts.size());
  CHECK(world.take_witnesses() == std::vector<std::string>{"abstract 1", "host 1", "metadata 1",
                                                           "tcp 1", "tcp6 1", "udp 1", "unix 1",
                                                           "victim 1"});
}

/// Opens a world in another process and kills that a moment after a process with `sign` was seen.
void kill_a_world(EngineKind engine, const WorldSettings& settings, const std::string& sign) {
  const std::size_t before = processes_with(sign).size();
  const pid_t pid = ::fork();
  if (pid == 0) {
    NoProgress nobody;
    const auto world = open_world(engine, WorldBoxd::Campaign, settings, nobody);
    for (;;) ::pause();
  }
  sys::Child child(pid, sys::Fd(sys::pidfd_open(pid)));
  CHECK(soon([&] { return processes_with(sign).size() > before; }));
  ::poll(nullptr, 0, 500);
  child = {};
  CHECK(soon([&] { return processes_with(sign).size() == before; }));
}

}  // namespace

TEST_CASE("a native world is out of reach, in reach without protections, and gone", "[box]") {
  std::string missing;
  const auto settings = settings_for(EngineKind::Native, missing);
  if (!settings) SKIP(missing);
  NoProgress nobody;
  std::string canary;
  {
    auto world = open_world(EngineKind::Native, WorldBoxd::Campaign, *settings, nobody);
    REQUIRE(world);
    canary = (*world)->canary();
    CHECK(canary.size() == 32);
    CHECK_FALSE(processes_with(canary).empty());
    check_reach(**world);
    auto released = open_world(EngineKind::Native, WorldBoxd::Released, *settings, nobody);
    REQUIRE(released);
    CHECK((*released)->canary() != canary);
    CHECK(run(**released, {}).out.bytes == "pybox\n");
    Check check;
    const auto refused = (*released)->run({check, "print(1)", {"fs.ro"}, -1});
    REQUIRE(refused);
    CHECK(refused->failure);
  }
  // The planted process ends by a signal at the end of its parent.
  CHECK(soon([&] { return processes_with(canary).empty(); }));
}

TEST_CASE("a native world whose campaign was killed goes", "[box]") {
  std::string missing;
  const auto settings = settings_for(EngineKind::Native, missing);
  if (!settings) SKIP(missing);
  kill_a_world(EngineKind::Native, *settings, (settings->programs / "campaign-plant").string());
}

TEST_CASE("a world in a VM is out of reach, in reach without protections, and gone", "[vm]") {
  std::string missing;
  const auto settings = settings_for(EngineKind::Vm, missing);
  if (!settings) SKIP(missing);
  NoProgress nobody;
  const std::size_t before = worlds_left(*settings);
  {
    auto world = open_world(EngineKind::Vm, WorldBoxd::Campaign, *settings, nobody);
    INFO((world ? "" : world.error().message()));
    REQUIRE(world);
    check_reach(**world);
  }
  CHECK(worlds_left(*settings) == before);
  CHECK(processes_with((settings->dirs.home / "worlds").string()).empty());
}

TEST_CASE("a world in a VM whose campaign was killed while it began goes", "[vm]") {
  std::string missing;
  const auto settings = settings_for(EngineKind::Vm, missing);
  if (!settings) SKIP(missing);
  const std::size_t before = worlds_left(*settings);
  kill_a_world(EngineKind::Vm, *settings, (settings->dirs.home / "worlds").string());
  CHECK(soon([&] { return worlds_left(*settings) == before; }));
}

}  // namespace pybox::campaign
