#include "vm/plugged.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/clock.hpp"
#include "vm/fake_qemu_for_tests.hpp"

namespace pybox::vm {
namespace {

const std::string kImage = "sha256:" + std::string(64, 'b');

/// A machine that breaks as told, and the images in it.
struct Guest {
  TempHome home;
  ConsoleLog console;
  Config config;
  std::unique_ptr<Machine> machine;
  std::optional<PluggedImages> images;

  explicit Guest(const FakeQemu& fake) : console(open_console()) {
    config.find_disk = [](std::string_view id) -> Result<Disk> {
      return Disk{std::string(id), "/images/new/image.erofs", {}};
    };
    machine = std::make_unique<Machine>(start_fake(fake).value(), console);
    REQUIRE(machine->agree());
    images.emplace(config, *machine, std::vector<std::string>{"sha256:base"});
  }
  ConsoleLog open_console() {
    REQUIRE(sys::ensure_private_dir(home.dirs.home));
    return ConsoleLog::open(home.dirs.home / "console.log").value();
  }
  /// The guest's next answer, as PluggedImages takes it.
  PluggedImages::Answered answer() {
    const Nanos deadline = monotonic_now() + std::chrono::seconds(10);
    while (monotonic_now() < deadline) {
      machine->pump(Millis(50));
      if (const auto frame = machine->next_frame()) return images->answer(*frame).value();
    }
    FAIL("the guest does not answer");
    return {};
  }
};

}  // namespace

TEST_CASE("an image that was plugged in is there for the runs that waited and for later ones") {
  Guest guest({});
  REQUIRE(guest.images->need(1, kImage, 100));
  REQUIRE(guest.images->need(2, kImage, 101));
  CHECK(guest.images->hold(1, {link::FrameType::Run, 1, "{}", {}}));
  CHECK_FALSE(guest.images->hold(3, {link::FrameType::Run, 3, "{}", {}}));
  CHECK(guest.answer().frames.size() == 1);
  CHECK(guest.images->images().size() == 2);
  REQUIRE(guest.images->need(4, kImage, 102));
  CHECK_FALSE(guest.images->hold(4, {link::FrameType::Run, 4, "{}", {}}));
}

TEST_CASE("an image whose plugging in failed may be tried again at once") {
  for (const char* refused : {"blockdev-add", "device_add"}) {
    FakeQemu fake;
    fake.refuses = {refused};
    Guest guest(fake);
    const auto first = guest.images->need(1, kImage, 100);
    REQUIRE_FALSE(first);
    CHECK(first.error().message().find("it was told to refuse") != std::string::npos);
    REQUIRE(guest.images->need(2, kImage, 101));
    CHECK(guest.images->hold(2, {link::FrameType::Run, 2, "{}", {}}));
    CHECK(guest.answer().frames.size() == 1);
  }
}

TEST_CASE("an image that the guest could not mount may be tried again") {
  FakeQemu fake;
  fake.broken_mounts = 1;
  Guest guest(fake);
  REQUIRE(guest.images->need(1, kImage, 100));
  const auto failed = guest.answer();
  CHECK(failed.failed == std::vector<std::uint64_t>{1});
  CHECK(failed.why == "it does not mount");
  REQUIRE(guest.images->need(2, kImage, 101));
  CHECK(guest.answer().failed.empty());
  CHECK(guest.images->images().size() == 2);
}

TEST_CASE("what QEMU still uses is taken out of it later, and nothing stays for ever") {
  FakeQemu fake;
  fake.broken_mounts = 1;
  fake.refuses = {"blockdev-del"};
  Guest guest(fake);
  REQUIRE(guest.images->need(1, kImage, 100));
  CHECK(guest.answer().failed.size() == 1);
  REQUIRE(guest.images->need(2, kImage, 101));
  CHECK(guest.answer().failed.empty());
  // The first try's names are free again, and the second one's are not.
  CHECK(guest.machine->execute("blockdev-add", {{"node-name", std::string("image-1")}}));
  CHECK_FALSE(guest.machine->execute("blockdev-add", {{"node-name", std::string("image-2")}}));
  CHECK(guest.machine->execute("device_add", {{"id", std::string("disk-1")}}));
  CHECK_FALSE(guest.machine->execute("device_add", {{"id", std::string("disk-2")}}));
}

}  // namespace pybox::vm
