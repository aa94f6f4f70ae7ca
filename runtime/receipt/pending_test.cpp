#include "receipt/pending.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox {
namespace {

struct PendingHome {
  sys::StateDirs dirs;
  PendingHome() {
    dirs.home = std::filesystem::temp_directory_path() / ("pybox-pending-" + random_hex(6));
  }
  ~PendingHome() { (void)sys::remove_tree(dirs.home).has_value(); }
};

}  // namespace

TEST_CASE("the record of an orphaned run comes back as it was kept") {
  const PendingHome home;
  CHECK(list_pending(home.dirs).empty());
  REQUIRE(keep_pending(home.dirs, "r1",
                       {R"({"a":1})", R"({"c":3})", R"({"b":2})", "tcg", std::nullopt}));
  REQUIRE(list_pending(home.dirs).size() == 1);
  const auto run = read_pending(list_pending(home.dirs).front());
  REQUIRE(run);
  CHECK(run->order_head == R"({"a":1})");
  CHECK(run->seal_head == R"({"c":3})");
  CHECK(run->report_head == R"({"b":2})");
  CHECK(run->accelerator == "tcg");
  CHECK_FALSE(run->vm);
}

TEST_CASE("the record of an orphaned run does not hold the program's arguments") {
  const PendingHome home;
  REQUIRE(keep_pending(home.dirs, "r1", {R"({"args_base64":["c2VjcmV0"]})", {}, {}, {}, {}}));
  const auto run = read_pending(list_pending(home.dirs).front());
  REQUIRE(run);
  CHECK(run->order_head == R"({"args_base64":[]})");
}

TEST_CASE("an id that is a path, or a head that is not an object, keeps nothing") {
  const PendingHome home;
  CHECK_FALSE(keep_pending(home.dirs, "../r1", {"{}", {}, {}, {}, {}}));
  CHECK_FALSE(keep_pending(home.dirs, "", {"{}", {}, {}, {}, {}}));
  CHECK_FALSE(keep_pending(home.dirs, ".hidden", {"{}", {}, {}, {}, {}}));
  CHECK_FALSE(keep_pending(home.dirs, "r1", {"[]", {}, {}, {}, {}}));
  CHECK_FALSE(keep_pending(home.dirs, "r1", {"{} x", {}, {}, {}, {}}));
  CHECK(list_pending(home.dirs).empty());
}

}  // namespace pybox
