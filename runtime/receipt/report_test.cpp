#include "receipt/report.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox {

TEST_CASE("checks that rest on PyBox's own word are counted apart") {
  Seal seal{true, true, {{"fs.ro", "all", "all", true, "/proc/PID/mountinfo"}}};
  CHECK(seal_words(seal) == "1 check held before start");
  seal.checks.push_back({"sup.outcap", "1 1", "1 1", true, "by construction: boxd's own limits"});
  CHECK(seal_words(seal) == "2 checks held before start, 1 of them by construction");
  seal.verified = false;
  CHECK(seal_words(seal) == "not verified");
}

}  // namespace pybox
