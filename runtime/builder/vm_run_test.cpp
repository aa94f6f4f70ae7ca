#include <catch2/catch_test_macros.hpp>
#include <deque>

#include "base/clock.hpp"
#include "builder/vm.hpp"
#include "vm/fake_qemu_for_tests.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::builder {
namespace {

class Heard final : public Progress {
 public:
  void stage(std::string_view name) override { text += "[" + std::string(name) + "]"; }
  void advance(std::uint64_t, std::optional<std::uint64_t>, Unit) override {}
  void note(std::string_view line) override { text += "(" + std::string(line) + ")"; }
  std::string text;
};

vm::FakeQemu prints(const char* console) {
  vm::FakeQemu fake;
  fake.console = console;
  return fake;
}

/// Builder VMs that end as told, one after the other.
struct BuilderHost {
  vm::TempHome home;
  std::deque<vm::FakeQemu> qemus;
  Heard heard;
  int results = 0;
  std::string lines;

  BuilderHost() { REQUIRE(sys::ensure_private_dir(home.dirs.vm())); }

  Result<sys::ToolResult> build() {
    BuilderVmOrder order;
    order.dirs = home.dirs;
    order.make_result = [this]() -> Result<void> {
      ++results;
      return {};
    };
    order.follow = [this] {
      lines.clear();
      return [this](std::string_view line) { lines += std::string(line) + "|"; };
    };
    order.patience = std::chrono::seconds(20);
    vm::LaunchHost host;
    host.why_no_kvm = [] { return std::optional<std::string>(); };
    host.kvm_silence = Millis(300);
    host.start_qemu = [this](const auto&, const auto&) {
      const vm::FakeQemu next = qemus.front();
      qemus.pop_front();
      return vm::start_fake(next);
    };
    return run_builder_vm(order, heard, host);
  }
  bool remembers() const {
    return vm::KvmMemory(home.dirs.vm(), vm::find_qemu().value()).failure(wall_now()).has_value();
  }
};

constexpr const char* kJob = "pybox-builder: booted\r\npybox-builder: stage one\r\n";

}  // namespace

TEST_CASE("a builder VM's console is followed line by line, and its end is the job's") {
  BuilderHost host;
  host.qemus = {prints(kJob)};
  const auto ended = host.build();
  REQUIRE(ended);
  CHECK(ended->ok());
  CHECK(host.lines == "pybox-builder: booted|pybox-builder: stage one|");
  CHECK(host.heard.text == "[starting the builder VM with KVM]");
  CHECK(sys::read_file(builder_console_path(host.home.dirs)).value() == kJob);
}

TEST_CASE("a builder VM that KVM stops, or that says nothing, is emulated soon") {
  for (const bool stops : {true, false}) {
    BuilderHost host;
    vm::FakeQemu broken;
    broken.internal_error = stops;
    host.qemus = {broken, prints(kJob)};
    const Nanos began = monotonic_now();
    REQUIRE(host.build());
    CHECK(monotonic_now() - began < std::chrono::seconds(15));
    CHECK(host.heard.text.find("](the VM did not start with KVM (") != std::string::npos);
    CHECK(host.heard.text.ends_with("[starting the builder VM, emulated]"));
    CHECK(host.results == 2);
    CHECK(host.remembers());
  }
}

TEST_CASE("a builder VM whose kernel broke, or that was killed before its job, is started again") {
  BuilderHost host;
  vm::FakeQemu killed;
  killed.killed_at = 2;
  host.qemus = {prints("pybox-builder: booted\nKernel panic - not syncing\n"), killed,
                prints(kJob)};
  REQUIRE(host.build());
  CHECK(host.heard.text.find("(the guest did not start (the builder VM's kernel broke); trying "
                             "again)") != std::string::npos);
  CHECK(host.heard.text.find("emulated") == std::string::npos);
  CHECK(host.results == 3);
  CHECK_FALSE(host.remembers());
}

TEST_CASE("a builder VM that is lost in its job is not started again") {
  BuilderHost host;
  vm::FakeQemu lost;
  lost.console = kJob;
  lost.lost_after_console = true;
  host.qemus = {lost, prints(kJob)};
  const auto ended = host.build();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message() == "the builder VM: QEMU was killed by signal 9");
  CHECK(host.results == 1);
}

}  // namespace pybox::builder
