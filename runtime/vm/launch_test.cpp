#include "vm/launch.hpp"

#include <catch2/catch_test_macros.hpp>
#include <deque>

#include "base/clock.hpp"
#include "vm/fake_qemu_for_tests.hpp"

namespace pybox::vm {
namespace {

constexpr const char* kPlain = "KVM does not run the guest";

/// A host where QEMUs behave as told: the first ones in turn, all later ones by their accelerator.
struct Host {
  TempHome home;
  std::deque<FakeQemu> first;
  FakeQemu kvm, tcg;
  std::string started;  ///< a letter for each QEMU: k or t, capital when it resumes
  std::string said;     ///< stages and notices

  Host() { REQUIRE(sys::ensure_private_dir(home.dirs.home)); }

  Result<Launched> launch() {
    started.clear();
    said.clear();
    Config config;
    config.dirs = home.dirs;
    config.qemu = "/bin/sh";
    config.boxd = "/bin/true";
    config.vmlinuz = "/bin/true";
    config.kernel_id = "sha256:kernel";
    config.base.image_id = "sha256:base";
    config.base.file = "/bin/true";
    PYBOX_TRY(sys::ensure_private_dir(home.dirs.vm()));
    console.emplace(PYBOX_TRY(ConsoleLog::open(home.dirs.vm() / "console.log")));
    StartWatcher watcher;
    watcher.stage = [this](std::string_view text) { said += std::string(text) + "\n"; };
    watcher.notice = watcher.stage;
    watcher.aborted = [] { return false; };
    LaunchHost host;
    host.why_no_kvm = [] { return std::optional<std::string>(); };
    host.kvm_silence = Millis(400);
    host.start_qemu = [this](const auto&, const auto& arguments) { return start(arguments); };
    return vm::launch(config, *console, watcher, host);
  }

  bool remembers() const {
    return KvmMemory(home.dirs.vm(), "/bin/sh").failure(wall_now()).has_value();
  }

 private:
  Result<QemuProcess> start(const std::vector<std::string>& arguments) {
    std::string words;
    for (const std::string& word : arguments) words += word + " ";
    const bool with_kvm = words.find("-accel kvm ") != std::string::npos;
    const bool resumes = words.find("-incoming") != std::string::npos;
    started += with_kvm ? (resumes ? 'K' : 'k') : (resumes ? 'T' : 't');
    FakeQemu fake = with_kvm ? kvm : tcg;
    if (!first.empty()) {
      fake = first.front();
      first.pop_front();
    }
    return start_fake(fake);
  }
  std::optional<ConsoleLog> console;
};

FakeQemu dies(int moment) {
  FakeQemu fake;
  fake.killed_at = moment;
  return fake;
}

FakeQemu says(const char* words) {
  FakeQemu fake;
  fake.words = words;
  return fake;
}

}  // namespace

TEST_CASE("a guest is booted, warmed up and saved, and resumed the next time") {
  Host host;
  const auto booted = host.launch();
  REQUIRE(booted);
  CHECK(booted->accelerator == Accelerator::Kvm);
  CHECK(booted->warm);
  CHECK_FALSE(booted->resumed);
  CHECK(booted->images == std::vector<std::string>{"sha256:base"});
  CHECK(booted->notices.empty());
  CHECK(host.said == "booting the guest with KVM\nwarming up the guest\nsaving the guest\n");
  const auto resumed = host.launch();
  REQUIRE(resumed);
  CHECK(resumed->resumed);
  CHECK(host.started == "K");
}

TEST_CASE("a KVM that stops the guest is given up at once, in one plain sentence, and remembered") {
  Host host;
  host.kvm.internal_error = true;
  const auto launched = host.launch();
  REQUIRE(launched);
  CHECK(launched->accelerator == Accelerator::Tcg);
  CHECK(host.started == "kt");
  REQUIRE(launched->notices.size() == 1);
  CHECK(launched->notices[0] == "the VM did not start with KVM (" + std::string(kPlain) +
                                    "); the VM is emulated (TCG), which is slower and no hardware "
                                    "boundary");
  CHECK(host.remembers());
  REQUIRE(host.launch());
  CHECK(host.started == "T");
}

TEST_CASE("a QEMU that ends over KVM is KVM's failure, and its words stay in the log") {
  Host host;
  host.kvm = says("qemu: kvm run failed Bad address\nRAX=0000 RBX=0000\nCode=55 48 <89>");
  const auto launched = host.launch();
  REQUIRE(launched);
  CHECK(launched->accelerator == Accelerator::Tcg);
  CHECK(host.started == "kt");
  CHECK(host.said.find("Code=") == std::string::npos);
  CHECK(host.said.find(kPlain) != std::string::npos);
  CHECK(host.remembers());
  CHECK(sys::read_file(host.home.dirs.vm() / "console.log")->find("Code=") != std::string::npos);
}

TEST_CASE("a guest that stays silent under KVM is emulated after a short wait") {
  Host host;
  host.kvm.silent = true;
  const auto launched = host.launch();
  REQUIRE(launched);
  CHECK(launched->accelerator == Accelerator::Tcg);
  CHECK(host.started == "kt");
  CHECK(host.said.find("the guest: it does not answer") != std::string::npos);
}

TEST_CASE("a QEMU that is slow to start is not a silent guest") {
  Host host;
  host.kvm.slow = Millis(600);
  const auto launched = host.launch();
  REQUIRE(launched);
  CHECK(launched->accelerator == Accelerator::Kvm);
  CHECK(host.started == "k");
}

TEST_CASE("what ends QEMU with any accelerator is not a failure of KVM's") {
  for (const FakeQemu& broken : {says("qemu: cannot set up guest memory"), dies(1), dies(5)}) {
    Host host;
    host.kvm = host.tcg = broken;
    REQUIRE_FALSE(host.launch());
    CHECK(host.started == "kkkttt");
    CHECK_FALSE(host.remembers());
    host.kvm = host.tcg = {};
    const auto next = host.launch();
    REQUIRE(next);
    CHECK(next->accelerator == Accelerator::Kvm);
  }
  Host host;
  host.kvm.internal_error = true;
  host.tcg = dies(2);
  REQUIRE_FALSE(host.launch());
  CHECK(host.started == "kttt");
  CHECK_FALSE(host.remembers());
}

TEST_CASE("a QEMU killed at any moment of a start costs that start a try and nothing else") {
  // A boot answers 11 times (vm/fake_qemu_for_tests.hpp), a resume 7 times.
  for (const bool resumes : {false, true}) {
    int survived = 0;
    for (int moment = 0; moment < (resumes ? 16 : 24); ++moment) {
      INFO((resumes ? "resume, moment " : "boot, moment ") << moment);
      Host host;
      if (resumes) REQUIRE(host.launch());
      host.first = {dies(moment)};
      const auto launched = host.launch();
      REQUIRE(launched);
      CHECK(launched->accelerator == Accelerator::Kvm);
      CHECK_FALSE(host.remembers());
      CHECK(host.started.find('t') == std::string::npos);
      survived += host.started.size() == 1 ? 1 : 0;
      const auto next = host.launch();
      REQUIRE(next);
      CHECK(next->accelerator == Accelerator::Kvm);
      CHECK(next->notices.empty());
    }
    // The moments reach to the end of a start: the last ones came too late.
    CHECK(survived >= 1);
    CHECK(survived <= 4);
  }
}

}  // namespace pybox::vm
