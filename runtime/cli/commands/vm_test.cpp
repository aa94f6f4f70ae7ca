#include "cli/commands/vm.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::cli {
namespace {

TEST_CASE("the status says what runs, and nothing a guest could forge") {
  vm::Status status;
  CHECK(vm_status_text(status) == "the VM is not running; `pybox vm start` starts it\n");
  status.running = true;
  status.pid = 7;
  status.qemu_pid = 8;
  status.accelerator = "tcg";
  status.memory = 1024_MiB;
  status.cpus = 2;
  status.uptime = Millis(1500);
  status.state = "resumed";
  status.images = {"sha256:ab\x1b"};
  CHECK(vm_status_text(status) ==
        "running (resumed) since 1.500 s\n  supervisor  pid 7\n"
        "  QEMU        pid 8, tcg, 1 GiB, 2 CPUs\n  runs        0 in progress\n"
        "  image       sha256:ab\\x1b\n");
}

}  // namespace
}  // namespace pybox::cli
