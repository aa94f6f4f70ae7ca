/// Drives real boxes: every protection that can be read back is left out once while the seal is
/// judged as if it were there, and the run must be refused by that name. This is what a released
/// boxd does when the kernel did not apply what it was told to.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "box/protection.hpp"
#include "engine/conversation.hpp"
#include "store/registry.hpp"
#include "sys/cgroup.hpp"
#include "sys/file.hpp"
#include "sys/runner.hpp"

namespace pybox::engine {
namespace {

/// Where this box could be made, or why not.
struct Bench {
  sys::StateDirs dirs;
  store::Image image;
};

std::optional<Bench> bench(std::string& missing) {
  const auto dirs = sys::state_dirs();
  if (!dirs) return missing = dirs.error().message(), std::nullopt;
  const auto image = store::find_image(*dirs, "stdlib", "3.13");
  if (!image) return missing = "image: " + image.error().message(), std::nullopt;
  const auto cgroup = sys::probe_cgroup_host();
  if (!cgroup) return missing = "cgroup: " + cgroup.error().message(), std::nullopt;
  return Bench{*dirs, *image};
}

Result<RunReport> run(const Bench& at, const std::string& boxd,
                      std::vector<std::string> leave_out) {
  auto ends = PYBOX_TRY(sys::make_socket_pair());
  sys::SpawnPlan plan;
  plan.program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../../bin" / boxd;
  plan.args = {"--link", "3", "--state", at.dirs.home};
  plan.environment = {"OF_THE_CALLER=secret"};
  plan.fds = {{ends.second.get(), 3}};
  sys::Child child = PYBOX_TRY(sys::spawn(plan));
  ends.second.reset();
  link::RunOrder order;
  order.receipt_id = random_hex(8);
  order.created_at = rfc3339(wall_now());
  order.image_id = at.image.id;
  order.rootfs = at.image.rootfs;
  order.request.engine = EngineKind::Native;
  order.request.program = "print('ran')";
  order.request.timeout = std::chrono::seconds(20);
  order.request.limits = limits_for_image("stdlib");
  order.request.inputs = {{"d/a.csv", "1,2"}};
  order.request.return_files = true;
  order.code_sha256 = "sha256:" + sha256_hex(order.request.program);
  order.leave_out = std::move(leave_out);
  auto report = converse(ends.first.get(), order, {});
  ends.first.reset();
  (void)PYBOX_TRY(child.wait(std::chrono::seconds(20)));
  return report;
}

/// A caller without supplementary groups leaves nothing to drop.
bool has_no_switch(const std::string& name) {
  return name == "cred.groups" && ::getgroups(0, nullptr) == 0;
}

std::vector<std::string> not_holding(const RunReport& report) {
  std::vector<std::string> names;
  for (const SealCheck& check : report.seal.checks) {
    if (!check.ok) names.push_back(check.name);
  }
  return names;
}

std::string own_mounts() {
  const Result<std::string> text = sys::read_file("/proc/self/mountinfo");
  return text ? *text : "unreadable";
}

struct RootOf {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const RootOf&) const = default;
};
RootOf own_root() {
  struct stat root {};
  return ::stat("/", &root) == 0 ? RootOf{root.st_dev, root.st_ino} : RootOf{};
}

/// How many processes have this name (man 5 proc, comm).
std::size_t processes_named(const std::string& name) {
  std::size_t count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const Result<std::string> comm = sys::read_file(entry.path() / "comm");
    if (comm && *comm == name + "\n") ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("a protection that was not applied refuses the run, each by its name", "[box]") {
  std::string missing;
  const auto at = bench(missing);
  if (!at) SKIP(missing);
  const auto sound = run(*at, "boxd-campaign", {});
  REQUIRE(sound);
  REQUIRE(sound->seal.verified);
  CHECK(sound->out.bytes == "ran\n");
  for (const box::Protection& each : box::protections()) {
    INFO(each.name);
    // cgroup v1 has no kill file; the pid namespace's end does its work.
    if (each.name == "cg.kill" && sound->host.cgroup == "v1") continue;
    CHECK(std::count_if(sound->seal.checks.begin(), sound->seal.checks.end(),
                        [&](const SealCheck& check) { return check.name == each.name; }) == 1);
  }
  for (const SealCheck& check : sound->seal.checks) {
    CHECK(box::find_protection(check.name) != nullptr);
    if (has_no_switch(check.name)) continue;
    INFO(check.name);
    const auto report = run(*at, "boxd-campaign", {check.name, "inject-fault"});
    REQUIRE(report);
    CHECK(report->out.bytes.empty());
    CHECK(report->outcome.observation == Observation::NotStarted);
    CHECK(report->cleanup.status != Cleanup::Status::Unconfirmed);
    CHECK(report->failure);
    if (report->failure) {
      CHECK(report->failure->refused);
      INFO(report->failure->message);
      CHECK(report->failure->message.find(check.name) != std::string::npos);
    }
  }
}

TEST_CASE("a box that shares its mounts takes along a stand-in, and nothing of its host", "[box]") {
  std::string missing;
  const auto at = bench(missing);
  if (!at) SKIP(missing);
  const std::string mounts = own_mounts();
  const RootOf root = own_root();
  const std::size_t others = processes_named("stand-in");
  // Real ids where this is root: nothing but the stand-in stands between the box and these mounts.
  for (const std::vector<std::string>& cuts :
       {std::vector<std::string>{"ns.mnt"}, std::vector<std::string>{"ns.user", "ns.mnt"}}) {
    const auto report = run(*at, "boxd-campaign", cuts);
    REQUIRE(report);
    INFO((report->failure ? report->failure->message : ""));
    CHECK(report->out.bytes == "ran\n");
    CHECK(not_holding(*report) == cuts);
    CHECK(report->cleanup.status == Cleanup::Status::Removed);
    CHECK(own_mounts() == mounts);
    CHECK(own_root() == root);
    CHECK(processes_named("stand-in") == others);
  }
}

TEST_CASE("the released boxd refuses to leave anything out", "[box]") {
  std::string missing;
  const auto at = bench(missing);
  if (!at) SKIP(missing);
  const auto report = run(*at, "boxd", {"fs.ro"});
  REQUIRE(report);
  REQUIRE(report->failure);
  CHECK(report->failure->refused);
  CHECK(report->cleanup.status == Cleanup::Status::NotAttempted);
}

}  // namespace pybox::engine
