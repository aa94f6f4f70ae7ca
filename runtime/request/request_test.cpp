#include "request/request.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>

using namespace std::chrono_literals;

namespace pybox {
namespace {

std::string problem(double timeout, Nanos ceiling = 30s) {
  const auto checked = check_timeout(timeout, ceiling);
  return checked ? "" : checked.error().message();
}

std::string name_problem(std::string_view name) {
  const auto checked = check_program_name(name);
  return checked ? "" : checked.error().message();
}

}  // namespace

TEST_CASE("a timeout within the ceiling is taken as it is") {
  CHECK(check_timeout(2, 30s).value() == 2s);
  CHECK(check_timeout(0.4, 30s).value() == Millis(400));
  CHECK(check_timeout(30, 30s).value() == 30s);
  CHECK(check_timeout(1e-6, 30s).value() == std::chrono::microseconds(1));
}

TEST_CASE("a timeout that is not a length of time is wrong usage") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(problem(nan) == "the timeout is not a number");
  for (const double wrong : {0.0, -0.0, -1.0, -inf, -1e99, 1e-12}) {
    CHECK(problem(wrong) == "the timeout must be more than 0 seconds");
    CHECK(check_timeout(wrong, 30s).error().kind() == ErrorKind::Usage);
  }
  CHECK(check_timeout(nan, 30s).error().kind() == ErrorKind::Usage);
}

TEST_CASE("a timeout above the ceiling is refused, however large") {
  CHECK(problem(31) == "a timeout of 31 s is above the ceiling of 30 s");
  CHECK(problem(1e99) == "a timeout of 1e+99 s is above the ceiling of 30 s");
  CHECK(problem(std::numeric_limits<double>::infinity()) ==
        "a timeout of inf s is above the ceiling of 30 s");
  CHECK(problem(0.6, Millis(500)) == "a timeout of 0.6 s is above the ceiling of 0.5 s");
  const auto refused = check_timeout(31, 30s);
  CHECK(refused.error().kind() == ErrorKind::Refused);
  CHECK(refused.error().hint() ==
        "ask for at most 30 s, or raise `max_timeout_s` in config.json (at most 300)");
}

TEST_CASE("a ceiling that a server set is named as the server's") {
  const auto refused = check_timeout(31, 2s, true);
  CHECK(refused.error().message() ==
        "a timeout of 31 s is above the ceiling of 2 s (set by the server)");
  CHECK(refused.error().hint() == "ask for at most 2 s");
}

TEST_CASE("engines are known by name") {
  for (const EngineKind kind :
       {EngineKind::Vm, EngineKind::Native, EngineKind::Docker, EngineKind::Unsealed}) {
    CHECK(engine_from(name_of(kind)) == kind);
  }
  CHECK_FALSE(engine_from("VM"));
  CHECK_FALSE(engine_from(""));
}

TEST_CASE("a program's file name is one plain component") {
  CHECK(name_problem("case.py").empty());
  CHECK(name_problem("größe 1.py").empty());
  CHECK(name_problem(std::string(255, 'a')).empty());
  for (const char* none : {"", ".", ".."}) {
    CHECK(name_problem(none) == "the program needs its own file name");
  }
  CHECK(name_problem(std::string(256, 'a')) == "the program's file name is longer than 255 bytes");
  CHECK(name_problem("\xff.py") == "the program's file name `\\xff.py` is not UTF-8");
  CHECK(name_problem("a/b") == "the program's file name `a/b` holds a slash");
  CHECK(name_problem("a\nb") ==
        "the program's file name `a\\x0ab` holds control or invisible characters");
  CHECK(check_program_name("").error().kind() == ErrorKind::Refused);
}

}  // namespace pybox
