#include "vm/kvm.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/clock.hpp"
#include "vm/fake_qemu_for_tests.hpp"

namespace pybox::vm {
namespace {

constexpr Nanos kNow = std::chrono::hours(500'000);
constexpr Nanos kHour = std::chrono::hours(1);

struct Memory {
  TempHome home;
  std::filesystem::path qemu;
  KvmMemory memory;
  Memory() : qemu(home.dirs.home / "qemu"), memory(home.dirs.home, qemu) {
    REQUIRE(sys::ensure_private_dir(home.dirs.home));
    REQUIRE(sys::replace_file(qemu, "1"));
  }
};

}  // namespace

TEST_CASE("a failed KVM is remembered for a day, with its reason") {
  const Memory here;
  CHECK_FALSE(here.memory.failure(kNow));
  here.memory.remember({kNow, "it stood\nstill"});
  REQUIRE(here.memory.failure(kNow + kHour));
  CHECK(here.memory.failure(kNow + kHour)->when == kNow);
  CHECK(here.memory.failure(kNow + kHour)->why == "it stood\\x0astill");
  CHECK(here.memory.failure(kNow + 23 * kHour));
  CHECK_FALSE(here.memory.failure(kNow + 25 * kHour));
  CHECK_FALSE(here.memory.failure(kNow - kHour));
}

TEST_CASE("another QEMU, or a memory that does not read well, lets KVM be tried again") {
  const Memory here;
  here.memory.remember({kNow, "it stood still"});
  REQUIRE(sys::replace_file(here.qemu, "22"));
  CHECK_FALSE(here.memory.failure(kNow));
  for (const char* text : {"", "\n", "6.1 /usr/bin/qemu 77\n", "\n\n\n", "a\nb\nc\n"}) {
    REQUIRE(sys::replace_file(here.memory.file(), text));
    CHECK_FALSE(here.memory.failure(kNow));
  }
}

TEST_CASE("what the host says of KVM comes before what is remembered") {
  const Memory here;
  CHECK_FALSE(why_skip_kvm(std::nullopt, here.memory, kNow));
  here.memory.remember({kNow, "it stood still"});
  CHECK(why_skip_kvm("there is none", here.memory, kNow) == "there is none");
  CHECK(why_skip_kvm(std::nullopt, here.memory, kNow) ==
        "it did not run a VM here at 2027-01-15T08:00:00.000Z (it stood still); it is tried again "
        "after a day");
}

TEST_CASE("a guest under KVM that never comes back is interrupted") {
  constexpr std::uint8_t kForEver[] = {0xeb, 0xfe};  // jmp to itself
  const Nanos began = monotonic_now();
  const auto why = why_kvm_does_not_run(kForEver, Millis(100));
  REQUIRE(why);
  INFO(*why);
  // A host without KVM says that, at once.
  if (why->starts_with("KVM opens")) CHECK(*why == "KVM opens but its guest does not go on");
  CHECK(monotonic_now() - began < std::chrono::seconds(10));
}

TEST_CASE("where KVM runs anything at all, the smallest guest comes back with its sign") {
  const auto none = why_kvm_does_not_run(kKvmSign, std::chrono::seconds(5));
  constexpr std::uint8_t kWrongSign[] = {0xb0, 'Q', 0xe6, 0x80};
  CHECK(why_kvm_does_not_run(kWrongSign, std::chrono::seconds(5)).has_value());
  if (none) CHECK(why_no_kvm().has_value());
}

}  // namespace pybox::vm
