#include "base/line_cutter.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox {

TEST_CASE("a stream is cut into lines wherever its pieces end, and a long line is cut short") {
  LineCutter lines(4);
  CHECK_FALSE(lines.next());
  lines.feed("o");
  CHECK_FALSE(lines.next());
  lines.feed("ne\r\n\ntw");
  CHECK(lines.next() == "one");
  CHECK(lines.next() == "");
  CHECK_FALSE(lines.next());
  lines.feed("o and more");
  lines.feed(" and more\nlast\n");
  CHECK(lines.next() == "two ");
  CHECK(lines.next() == "last");
  CHECK_FALSE(lines.next());
}

}  // namespace pybox
