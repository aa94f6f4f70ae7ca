#include "vm/accelerate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <deque>

#include "base/clock.hpp"
#include "vm/fake_qemu_for_tests.hpp"

namespace pybox::vm {
namespace {

FailedStart failed(const char* how, Blame blame = Blame::Nobody) {
  return {{ErrorKind::HostCannot, how}, blame};
}

/// Starts that end as they are told, one after the other; the last one again and again.
struct Starts {
  TempHome home;
  KvmMemory memory{home.dirs.home, "/bin/sh"};
  std::optional<std::string> host_says;
  std::deque<std::optional<FailedStart>> kvm{std::nullopt};
  std::deque<std::optional<FailedStart>> tcg{std::nullopt};
  Nanos kvm_takes{};
  Nanos tcg_takes{};
  std::string tried;  ///< "kt": KVM, then TCG
  std::string notices;

  Starts() { REQUIRE(sys::ensure_private_dir(home.dirs.home)); }

  Result<Accelerator> start(AcceleratorChoice choice = AcceleratorChoice::Auto) {
    tried.clear();
    notices.clear();
    const AcceleratorRules rules{choice, memory, [this] { return host_says; },
                                 [this](const std::string& text) { notices += text + "\n"; }};
    return start_accelerated(rules, [this](Accelerator accelerator) {
      const bool with_kvm = accelerator == Accelerator::Kvm;
      tried += with_kvm ? 'k' : 't';
      const Nanos until = monotonic_now() + (with_kvm ? kvm_takes : tcg_takes);
      while (monotonic_now() < until) {
      }
      auto& next = with_kvm ? kvm : tcg;
      const std::optional<FailedStart> result = next.front();
      if (next.size() > 1) next.pop_front();
      return result;
    });
  }
  bool remembers() const { return memory.failure(wall_now()).has_value(); }
};

}  // namespace

TEST_CASE("KVM that works is used and nothing is said") {
  Starts host;
  CHECK(host.start().value() == Accelerator::Kvm);
  CHECK(host.tried == "k");
  CHECK(host.notices.empty());
  CHECK_FALSE(host.remembers());
}

TEST_CASE("a failure of KVM's own is remembered once TCG has done what it did not") {
  Starts host;
  host.kvm = {failed("KVM does not run the guest", Blame::Kvm)};
  CHECK(host.start().value() == Accelerator::Tcg);
  CHECK(host.tried == "kt");
  CHECK(
      host.notices ==
      "the VM did not start with KVM (KVM does not run the guest); the VM is emulated (TCG), which "
      "is slower and no hardware boundary\n");
  CHECK(host.memory.failure(wall_now())->why == "KVM does not run the guest");
  CHECK(host.start().value() == Accelerator::Tcg);
  CHECK(host.tried == "t");
  CHECK(host.notices.find("it did not run a VM here at ") != std::string::npos);
}

TEST_CASE("what fails with KVM and with TCG says nothing about KVM") {
  Starts host;
  host.kvm = {failed("no", Blame::Kvm)};
  host.tcg = {failed("no memory")};
  const auto started = host.start();
  REQUIRE_FALSE(started);
  CHECK(started.error().message() == "no memory");
  CHECK(host.tried == "kttt");
  CHECK_FALSE(host.remembers());
}

TEST_CASE("a start that failed for a reason of its own is tried again with KVM") {
  Starts host;
  host.kvm = {failed("QEMU was killed by signal 9"), std::nullopt};
  CHECK(host.start().value() == Accelerator::Kvm);
  CHECK(host.tried == "kk");
  CHECK(host.notices == "the guest did not start (QEMU was killed by signal 9); trying again\n");

  host.kvm = {failed("QEMU was killed by signal 9")};
  CHECK(host.start().value() == Accelerator::Tcg);
  CHECK(host.tried == "kkkt");
  CHECK_FALSE(host.remembers());
}

TEST_CASE("silence is held against KVM only when TCG was faster") {
  Starts host;
  host.kvm = {failed("it does not answer", Blame::Silence)};
  host.tcg = {failed("Oops"), std::nullopt};
  host.kvm_takes = Millis(30);
  CHECK(host.start().value() == Accelerator::Tcg);
  CHECK(host.tried == "ktt");
  CHECK(host.remembers());

  Starts busy;
  busy.kvm = {failed("it does not answer", Blame::Silence)};
  busy.tcg_takes = Millis(30);
  CHECK(busy.start().value() == Accelerator::Tcg);
  CHECK_FALSE(busy.remembers());
}

TEST_CASE("an emulated guest that was lost is tried again, whatever was lost") {
  Starts host;
  host.host_says = "this host has no /dev/kvm";
  host.tcg = {failed("it does not answer", Blame::Silence), failed("stopped", Blame::Kvm),
              std::nullopt};
  CHECK(host.start().value() == Accelerator::Tcg);
  CHECK(host.tried == "ttt");
}

TEST_CASE("a start that was given up is not tried again in any way") {
  Starts host;
  host.kvm = {failed("the start was interrupted")};
  host.kvm.front()->final = true;
  CHECK_FALSE(host.start());
  CHECK(host.tried == "k");
}

TEST_CASE("a choice of the user's is kept to") {
  Starts host;
  CHECK(host.start(AcceleratorChoice::Tcg).value() == Accelerator::Tcg);
  CHECK(host.tried == "t");
  host.kvm = {failed("no", Blame::Kvm)};
  CHECK(host.start(AcceleratorChoice::Kvm).error().message() == "no");
  CHECK(host.tried == "k");
  CHECK_FALSE(host.remembers());
  host.host_says = "this host has no /dev/kvm";
  CHECK(host.start(AcceleratorChoice::Kvm).error().message() ==
        "KVM was asked for, and this host has no /dev/kvm");
  CHECK(host.tried.empty());
  CHECK(host.start().value() == Accelerator::Tcg);
  CHECK(host.notices ==
        "KVM is not used: this host has no /dev/kvm; the VM is emulated (TCG), which is slower and "
        "no hardware boundary\n");
}

}  // namespace pybox::vm
