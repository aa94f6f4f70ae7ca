#include "cli/doctor/doctor.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "cli/doctor/probes.hpp"
#include "cli/terminal/golden_for_tests.hpp"
#include "receipt/keys.hpp"
#include "sys/file.hpp"
#include "sys/runner.hpp"
#include "vm/kvm.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::cli {
namespace {

using Area = DoctorCheck::Area;

const std::vector<DoctorCheck> kSample = {
    {Area::Host, "kernel", true, "Linux 6.12.0 x86_64", ""},
    {Area::State, "home", true, "/srv/pybox", ""},
    {Area::Vm, "QEMU", false, "qemu-system-x86_64 is not in PATH",
     "apt-get install qemu-system-x86"},
    {Area::Vm, "KVM", false, "/dev/kvm: Permission denied", "usermod -aG kvm $USER", false},
    {Area::Native, "cgroup", true, "cgroup v2, boxes in /sys/fs/cgroup\x1b", ""},
    {Area::Setup, "mmdebstrap", false, "not in PATH", "apt-get install mmdebstrap", false}};

struct Home {
  Home() { dirs.home = std::filesystem::temp_directory_path() / ("doctor-" + random_hex(6)); }
  ~Home() { std::filesystem::remove_all(dirs.home); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  sys::StateDirs dirs;
};

/// The check of a name in what `probe_state` found.
DoctorCheck state_check(const sys::StateDirs& dirs, const std::string& name) {
  std::vector<DoctorCheck> checks;
  probe_state(dirs, checks);
  for (const DoctorCheck& check : checks) {
    if (check.name == name) return check;
  }
  return {Area::State, "no such check", false, "", ""};
}

}  // namespace

TEST_CASE("doctor's lines name the fix of what does not hold") {
  check_golden("runtime/cli/golden/doctor.txt", doctor_text(kSample, false));
}

TEST_CASE("an engine is usable when all it needs holds; what only costs speed does not count") {
  CHECK_FALSE(is_usable(kSample, Area::Vm));
  CHECK(is_usable(kSample, Area::Native));
  auto checks = kSample;
  checks[2].ok = true;
  CHECK(is_usable(checks, Area::Vm));
  checks[1].ok = false;  // shared by both engines
  CHECK_FALSE(is_usable(checks, Area::Vm));
  CHECK_FALSE(is_usable(checks, Area::Native));
}

TEST_CASE("doctor's JSON carries the same facts") {
  const std::string text = doctor_json(kSample, true);
  CHECK(text.find("\"vm_usable\": false,\n  \"native_usable\": true") != std::string::npos);
  CHECK(text.find("\"fix\": \"apt-get install qemu-system-x86\"") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("state folders are examined without being made") {
  const Home home;
  CHECK(private_folder("home", home.dirs.home).detail ==
        home.dirs.home.string() + ", will be made");
  CHECK(private_folder("home", home.dirs.home).ok);
  CHECK(state_check(home.dirs, "signing key").detail == "none yet, the first run makes it");
  CHECK_FALSE(std::filesystem::exists(home.dirs.home));
}

TEST_CASE("a state folder that others can enter is named with its chmod") {
  const Home home;
  std::filesystem::create_directory(home.dirs.home);
  ::chmod(home.dirs.home.c_str(), 0755);
  const DoctorCheck open = private_folder("home", home.dirs.home);
  CHECK_FALSE(open.ok);
  CHECK(open.detail == home.dirs.home.string() + " has mode 0755");
  CHECK(open.fix == "chmod 700 " + home.dirs.home.string());
  CHECK_FALSE(open.needed);
  ::chmod(home.dirs.home.c_str(), 0770);
  CHECK(private_folder("home", home.dirs.home).needed);
  ::chmod(home.dirs.home.c_str(), 0700);
  CHECK(private_folder("home", home.dirs.home).ok);
  const std::filesystem::path file = home.dirs.home / "file";
  std::ofstream(file) << "x";
  CHECK(private_folder("home", file).detail == file.string() + " is not a folder");
  std::filesystem::create_symlink("/", home.dirs.home / "link");
  CHECK_FALSE(private_folder("home", home.dirs.home / "link").ok);
}

TEST_CASE("a home whose sockets have a long path makes no engine unusable") {
  Home home;
  home.dirs.home /= std::string(200, 'x');
  home.dirs.run = home.dirs.home / "run";
  std::vector<DoctorCheck> checks;
  probe_state(home.dirs, checks);
  for (const DoctorCheck& check : checks) {
    INFO(check.name << ": " << check.detail);
    CHECK((check.ok || check.name == "images" || !check.needed));
  }
}

TEST_CASE("keys, settings and images that do not serve are found") {
  Home home;
  REQUIRE(load_or_make_key(home.dirs));
  CHECK(state_check(home.dirs, "signing key").ok);
  ::chmod(private_key_file(home.dirs).c_str(), 0644);
  CHECK_FALSE(state_check(home.dirs, "signing key").ok);
  CHECK(state_check(home.dirs, "images").fix == "pybox setup");
  home.dirs.config = home.dirs.home / "config.json";
  CHECK(state_check(home.dirs, "settings").detail == "none, the defaults");
  std::ofstream(home.dirs.config) << "{";
  CHECK(state_check(home.dirs, "settings").fix == "edit " + home.dirs.config.string());
}

TEST_CASE("each package that doctor asks for is one that ci/setup installs, or of every Debian") {
  const auto setup =
      sys::read_file(std::filesystem::path(PYBOX_SOURCE_DIR) / "ci/setup", Bytes{1U << 20U})
          .value();
  const Home home;
  std::vector<DoctorCheck> checks;
  probe_vm(home.dirs, checks);
  probe_setup_tools(checks);
  const std::string command = "apt-get install ";
  std::size_t asked = 0;
  for (const DoctorCheck& check : checks) {
    if (!check.fix.starts_with(command)) continue;
    ++asked;
    const std::string package = check.fix.substr(command.size());
    INFO(check.name << ": " << package);
    const bool essential = package == "apt" || package == "dpkg" || package == "tar";
    CHECK((essential || setup.find("(" + package + " ") != std::string::npos ||
           setup.find(" " + package + " ") != std::string::npos));
  }
  CHECK(asked == 6);
}

TEST_CASE("a boxd that is not there is found, with what to do") {
  // These tests do not stand beside a boxd.
  const DoctorCheck check = boxd_check(Area::Native);
  CHECK_FALSE(check.ok);
  CHECK(check.detail.starts_with("`boxd` is not beside "));
  CHECK(check.fix == "build or install PyBox again: pybox and boxd belong together");
}

TEST_CASE("doctor says of KVM what a start of the VM finds") {
  const Home home;
  std::filesystem::create_directories(home.dirs.vm());
  const auto qemu = sys::find_program(vm::qemu_program());
  const vm::KvmMemory memory(home.dirs.vm(), qemu.value_or(vm::qemu_program()));
  const auto kvm = [&home] {
    std::vector<DoctorCheck> checks;
    probe_vm(home.dirs, checks);
    return *std::find_if(checks.begin(), checks.end(),
                         [](const DoctorCheck& check) { return check.name == "KVM"; });
  };
  const auto why = vm::why_no_kvm();
  CHECK(kvm().ok == !why);
  CHECK(kvm().detail ==
        (why ? *why + "; QEMU emulates (TCG), slower" : "/dev/kvm runs a guest's code"));
  memory.remember({wall_now(), "it stood still"});
  CHECK_FALSE(kvm().ok);
  // What the host says of itself comes first.
  if (!why) CHECK(kvm().detail.find("(it stood still)") != std::string::npos);
  if (!why) CHECK(kvm().fix.starts_with("rm "));
}

TEST_CASE("probing the host leaves nothing behind and is done the same way twice") {
  std::vector<DoctorCheck> first;
  std::vector<DoctorCheck> second;
  probe_native(first);
  probe_native(second);
  REQUIRE(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    INFO(first[i].name << ": " << first[i].detail);
    CHECK(first[i].ok == second[i].ok);
    CHECK_FALSE(first[i].detail.empty());
    CHECK((first[i].ok || !first[i].fix.empty()));
  }
}

}  // namespace pybox::cli
