#include "base/join.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox {

TEST_CASE("words are joined by what stands between them", "[base]") {
  CHECK(join({}).empty());
  CHECK(join({"one"}) == "one");
  CHECK(join({"one", "two", "three"}) == "one two three");
  CHECK(join({"one", "two"}, ", ") == "one, two");
  CHECK(join({"one", "", "three"}, ",") == "one,,three");
  CHECK(join({"", "two"}, ",") == "two");
}

}  // namespace pybox
