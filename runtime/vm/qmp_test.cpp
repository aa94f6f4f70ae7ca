#include "vm/qmp.hpp"

#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <thread>

namespace pybox {
namespace {

using Kind = vm::QmpLine::Kind;

TEST_CASE("each kind of line is told apart") {
  CHECK(vm::qmp_line(R"({"QMP":{"version":{}}})")->kind == Kind::Greeting);
  CHECK(vm::qmp_line(R"({"return":{}})")->kind == Kind::Return);
  CHECK(vm::qmp_line(R"({"return":[]})")->kind == Kind::Return);
  CHECK(vm::qmp_line(R"({"return":{"status":"completed"}})")->status == "completed");
  CHECK(vm::qmp_line(R"({"event":"STOP","timestamp":{}})")->text == "STOP");
  CHECK(vm::qmp_line(R"({"error":{"class":"x","desc":"no\u0007"}})")->text == "no\\x07");
}

TEST_CASE("lines that are no QMP are errors, not guesses") {
  for (const char* line : {"", "{", "[]", "1", "{}", R"({"return":1,"return":2})", "\xff"}) {
    CHECK_FALSE(vm::qmp_line(line));
  }
}

TEST_CASE("lines come out whole however they were cut") {
  vm::LineSplitter lines;
  REQUIRE(lines.feed("{\"a\""));
  CHECK_FALSE(lines.next());
  REQUIRE(lines.feed(":1}\r\n\n{\"b\":2}\n{"));
  CHECK(lines.next() == "{\"a\":1}");
  CHECK(lines.next() == "{\"b\":2}");
  CHECK_FALSE(lines.next());
}

TEST_CASE("an endless line is refused") {
  vm::LineSplitter lines;
  CHECK_FALSE(lines.feed(std::string(vm::LineSplitter::kMaxLine + 1, 'x')));
}

TEST_CASE("a command waits for its own answer and passes events by") {
  auto ends = sys::make_socket_pair().value();
  vm::Qmp qmp(std::move(ends.first));
  const std::string said =
      "{\"QMP\":{}}\n{\"return\":{}}\n{\"event\":\"STOP\"}\n{\"return\":{\"status\":\"failed\"}}\n";
  REQUIRE(sys::write_all(ends.second.get(), said));
  REQUIRE(qmp.greet(std::chrono::seconds(5)));
  const auto failed = qmp.finish_migration(std::chrono::seconds(5));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message() == "QEMU could not read or write the state");
}

TEST_CASE("a QEMU that is silent or gone is an error in time") {
  auto ends = sys::make_socket_pair().value();
  vm::Qmp qmp(std::move(ends.first));
  CHECK(qmp.run("stop", {}, Millis(10)).error().message() == "stop: QEMU did not answer in time");
  ends.second.reset();
  CHECK(qmp.run("stop", {}, std::chrono::seconds(5)).error().message() == "QEMU ended");
}

}  // namespace
}  // namespace pybox
