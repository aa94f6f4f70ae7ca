#include "files/fold.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::files {

TEST_CASE("names that differ in case or normalisation fold to the same") {
  CHECK(folded("A.txt") == folded("a.TXT"));
  CHECK(folded("Stra\xc3\x9f"
               "e") == folded("STRASSE"));
  CHECK(folded("caf\xc3\xa9") == folded("cafe\xcc\x81"));           // é composed, decomposed
  CHECK(folded("\xe2\x84\xab") == folded("\xc3\xa5"));              // Å the unit, å the letter
  CHECK(folded("\xe1\xba\x9b\xcc\xa3") == folded("\xe1\xb9\xa9"));  // ẛ̣ and ṩ
}

TEST_CASE("names that are two everywhere stay two") {
  CHECK(folded("a") != folded("b"));
  CHECK(folded("e") != folded("\xc3\xa9"));
  CHECK(folded("\xef\xac\x81") == folded("fi"));  // full case folding splits the ligature
  CHECK(folded("\xc2\xb2") != folded("2"));       // compatibility characters stay what they are
}

}  // namespace pybox::files
