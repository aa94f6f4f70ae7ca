#include "vm/status.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::vm {

TEST_CASE("a status comes back from its JSON as it was") {
  Status status;
  status.running = true;
  status.pid = 12;
  status.qemu_pid = 13;
  status.accelerator = "tcg";
  status.memory = 1024_MiB;
  status.cpus = 2;
  status.uptime = Millis(1500);
  status.state = "resumed";
  status.images = {"sha256:a"};
  status.runs = 1;
  status.notices = {"no KVM"};
  status.guest = link::GuestCounters{9, 8, 7, 6, 5};
  const auto back = status_from_json(status_to_json(status));
  REQUIRE(back);
  CHECK(status_to_json(*back) == status_to_json(status));
  CHECK(back->guest->boxd_fds == 6);
  CHECK(back->uptime == Millis(1500));
}

TEST_CASE("a VM that does not run has every key, null") {
  CHECK(
      status_to_json({}) ==
      R"({"accelerator":null,"cpus":null,"guest":null,"images":null,"memory_bytes":null,"notices":null,)"
      R"("pid":null,"qemu_pid":null,"running":false,"runs":null,"state":null,"uptime_s":null})");
}

TEST_CASE("a status with a wrong field is refused") {
  CHECK_FALSE(status_from_json("{}"));
  CHECK_FALSE(status_from_json("{\"running\":true}"));
  CHECK_FALSE(status_from_json("{\"running\":1}"));
}

}  // namespace pybox::vm
