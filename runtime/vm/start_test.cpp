#include "vm/start.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::vm {

TEST_CASE("an error crosses the start pipe with kind, message and hint") {
  const Error back = failure_from(failure_line(
      Error(ErrorKind::Refused, "no image").context("starting").hint("run `pybox setup`")));
  CHECK(back.kind() == ErrorKind::Refused);
  CHECK(back.message() == "starting: no image");
  CHECK(back.hint() == "run `pybox setup`");
}

TEST_CASE("what an error says cannot break the line") {
  const std::string line = failure_line(Error(ErrorKind::Io, "a\nready\tb"));
  CHECK(line.find('\n') == std::string::npos);
  CHECK(failure_from(line).message() == "a\\x0aready\\x09b");
}

TEST_CASE("a cut line is still an error") {
  for (const char* line : {"", "io", "io\t", "\t\t", "unheard\tof"}) {
    CHECK_FALSE(name_of(failure_from(line).kind()).empty());
  }
}

}  // namespace pybox::vm
