#include "campaign/world/witnesses.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::campaign {
namespace {

const std::string kCanary(32, 'a');
const std::string kPrefix = "pybox-world " + kCanary + " ";

}  // namespace

TEST_CASE("what was planted and touched is read from among other console lines") {
  Witnesses witnesses(kPrefix);
  witnesses.feed("[    0.1] Linux\r\n" + kPrefix + "planted {\"fd\":9}\r\n" + kPrefix + "noti");
  CHECK(witnesses.planted() == "{\"fd\":9}");
  witnesses.feed("ced tcp 2\r\n" + kPrefix + "noticed tcp 1\n" + kPrefix + "noticed udp 1\n");
  CHECK(witnesses.take() == std::vector<std::string>{"tcp 3", "udp 1"});
  CHECK(witnesses.take().empty());
}

TEST_CASE("a line without the canary, of another kind or with an odd count is not a witness") {
  Witnesses witnesses(kPrefix);
  for (const std::string& line :
       {std::string("noticed tcp 1"), "pybox-world " + std::string(32, 'b') + " noticed tcp 1",
        " " + kPrefix + "noticed tcp 1", kPrefix + "noticed root 1", kPrefix + "noticed tcp 0",
        kPrefix + "noticed tcp -1", kPrefix + "noticed tcp 1 ", kPrefix + "noticed tcp 1x",
        kPrefix + "noticed tcp", kPrefix + "noticed tcp 99999999999999999999"}) {
    witnesses.feed(line + "\n");
    INFO(line);
    CHECK(witnesses.take().empty());
  }
  witnesses.feed(kPrefix + "noticed tcp 1" + std::string(9000, ' ') + "\n");
  CHECK(witnesses.take().empty());
  witnesses.feed(kPrefix + "noticed tcp 1\n");
  CHECK(witnesses.take() == std::vector<std::string>{"tcp 1"});
}

TEST_CASE("the first object that was planted stands, and a broken one does not count") {
  Witnesses witnesses("");
  witnesses.feed("planted {\"a\":\"\x1b\"}\nplanted [1]\n");
  CHECK_FALSE(witnesses.planted());
  witnesses.feed("planted {\"a\":1}\nplanted {\"a\":2}\n");
  CHECK(witnesses.planted() == "{\"a\":1}");
}

TEST_CASE("a planted process that ended is told once and remembered") {
  Witnesses witnesses("");
  witnesses.feed("noticed process 1\n");
  CHECK(witnesses.take() == std::vector<std::string>{"process gone"});
  CHECK(witnesses.take().empty());
  CHECK(witnesses.process_gone());
  witnesses.feed("failed making namespaces: \x1b[1m\n");
  CHECK(witnesses.failure().find('\x1b') == std::string::npos);
}

}  // namespace pybox::campaign
