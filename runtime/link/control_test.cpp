#include "link/control.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::link {

TEST_CASE("every control head survives the way there and back") {
  const auto hello = hello_from(hello_head({Nanos(1'795'973'000'123'456'789), true}));
  REQUIRE(hello);
  CHECK(hello->wall_clock == Nanos(1'795'973'000'123'456'789));
  CHECK(hello->resumed);
  const auto ready = ready_from(ready_head({"0.1.0", "6.12.1", "v2", {"sha256:ab"}}));
  REQUIRE(ready);
  CHECK(ready->images == std::vector<std::string>{"sha256:ab"});
  const auto failed = failed_from(failed_head({"no \xff room", "make room", true}));
  REQUIRE(failed);
  CHECK(failed->refused);
  CHECK(failed->hint == "make room");
  CHECK(attach_from(attach_head({"sha256:ab", "img0"}))->serial == "img0");
  CHECK(image_ready_from(image_ready_head("sha256:ab")).value() == "sha256:ab");
  CHECK(stop_from(stop_head("cancel")).value() == "cancel");
  CHECK(stream_from(stream_head(2)).value() == 2);
  CHECK(stdin_taken_from(stdin_taken_head(70000)).value() == 70000);
  const GuestCounters counters{1, 2, 3, 4, 5};
  CHECK(guest_head(guest_from(guest_head(counters)).value()) == guest_head(counters));
  CHECK(ask_status_from(ask_status_head(true)).value());
}

TEST_CASE("a control head with a wrong, missing or extra field is refused") {
  CHECK_FALSE(hello_from("{}"));
  CHECK_FALSE(hello_from(R"({"time_ns":"1","resumed":1})"));
  CHECK_FALSE(stream_from(R"({"stream":0})"));
  CHECK_FALSE(stream_from(R"({"stream":3})"));
  CHECK_FALSE(stop_from(R"({"reason":"cancel","more":1})"));
  CHECK_FALSE(ready_from(R"({"boxd_version":"","kernel":"","cgroup":"","images":[1]})"));
}

}  // namespace pybox::link
