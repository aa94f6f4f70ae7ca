#include "boxd/guest_counters.hpp"

#include <fcntl.h>

#include <catch2/catch_test_macros.hpp>

#include "sys/file.hpp"

namespace pybox::boxd {

TEST_CASE("resident memory is read out of a status file") {
  CHECK(resident_kib("Name:\tx\nVmHWM:\t 99 kB\nVmRSS:\t    1234 kB\n") == 1234);
  CHECK(resident_kib("Name:\tx\n") == 0);
  CHECK(resident_kib("Name:\tx\nVmRSS:") == 0);
}

TEST_CASE("an open descriptor counts") {
  const auto before = count_guest();
  const auto fd = sys::open_path("/dev/null", O_RDONLY);
  REQUIRE(fd);
  const auto after = count_guest();
  CHECK(after.boxd_fds == before.boxd_fds + 1);
  CHECK(after.processes > 0);
  CHECK(after.mounts > 0);
  CHECK(after.boxd_rss_kib > 0);
}

}  // namespace pybox::boxd
