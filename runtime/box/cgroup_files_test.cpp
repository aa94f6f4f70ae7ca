#include "box/cgroup_files.hpp"

#include <catch2/catch_test_macros.hpp>

#include "box/cgroup.hpp"
#include "box/protection.hpp"

namespace pybox::box {

TEST_CASE("numbers in counter files are read, and what is not a number is unknown") {
  CHECK(number_in("4096\n") == 4096U);
  CHECK(number_in("max\n") == std::nullopt);
  CHECK(number_in("") == std::nullopt);
  CHECK(number_in("99999999999999999999") == std::nullopt);
}

TEST_CASE("a keyed counter is found by its whole key") {
  const std::string text = "low 0\noom 2\noom_kill 1\noom_group_kill 0\n";
  CHECK(keyed_number(text, "oom_kill") == 1U);
  CHECK(keyed_number(text, "oom") == 2U);
  CHECK(keyed_number(text, "kill") == std::nullopt);
  CHECK(keyed_number("", "oom") == std::nullopt);
}

TEST_CASE("a check is ok only when both sides are the same text") {
  CHECK(compare("a", "1", "1", "m").ok);
  CHECK_FALSE(compare("a", "1", "1 ", "m").ok);
  CHECK(first_line("a\nb\n") == "a");
  CHECK(first_line(std::nullopt) == "unreadable");
}

TEST_CASE("protections have one row each, and every row says what, how and where") {
  for (const Protection& each : protections()) {
    INFO(each.name);
    CHECK(find_protection(each.name) == &each);
    CHECK_FALSE(each.stops.empty());
    CHECK_FALSE(each.applied.empty());
    CHECK_FALSE(each.read_back.empty());
  }
  CHECK(find_protection("fs.nothing") == nullptr);
}

TEST_CASE("a box's cgroup name carries who made it") {
  CHECK(cgroup_name(7).starts_with(kCgroupPrefix));
  CHECK(cgroup_name(7).ends_with("-7"));
  CHECK(cgroup_name(7) != cgroup_name(8));
}

}  // namespace pybox::box
