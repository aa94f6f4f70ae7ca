#include "vm/qmp.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::vm {
namespace {

QmpMessage only(QmpReader& reader) {
  auto message = reader.next();
  REQUIRE(message);
  REQUIRE(message->has_value());
  return **message;
}

}  // namespace

TEST_CASE("a command is one line of JSON with its arguments typed") {
  CHECK(qmp_command("quit", 3, {}) == "{\"execute\":\"quit\",\"id\":3}\n");
  CHECK(qmp_command("migrate", 4, {{"uri", std::string("fd:a\"b")}, {"on", true}, {"n", 7U}}) ==
        "{\"arguments\":{\"n\":7,\"on\":true,\"uri\":\"fd:a\\\"b\"},\"execute\":\"migrate\","
        "\"id\":4}\n");
}

TEST_CASE("messages are told apart, also when they come in pieces") {
  QmpReader reader;
  const std::string stream =
      "{\"QMP\":{\"version\":{\"qemu\":{\"major\":7}},\"capabilities\":[]}}\r\n"
      "{\"timestamp\":{\"seconds\":1},\"event\":\"STOP\"}\r\n"
      "{\"return\":{\"status\":\"running\"},\"id\":9}\r\n"
      "{\"error\":{\"class\":\"GenericError\",\"desc\":\"no\"},\"id\":10}\r\n";
  for (const char c : stream.substr(0, stream.size() - 1)) reader.feed({&c, 1});
  CHECK(only(reader).kind == QmpKind::Greeting);
  CHECK(only(reader).name == "STOP");
  const QmpMessage answer = only(reader);
  CHECK(answer.id == 9);
  CHECK(qmp_text(answer.text, "status") == "running");
  CHECK_FALSE(qmp_text(answer.text, "other"));
  CHECK_FALSE(reader.next()->has_value());
  reader.feed("\n");
  const QmpMessage failure = only(reader);
  CHECK(failure.kind == QmpKind::Failure);
  CHECK(failure.text == "no");
}

TEST_CASE("lines that are no message are errors, and the next line is read all the same") {
  for (const std::string bad : {"nonsense", "[]", "{}", "{\"event\":5}", "{\"return\":", "\xff\xfe",
                                "{\"event\":\"A\",\"event\":\"B\"}"}) {
    QmpReader reader;
    reader.feed(bad + "\n{\"event\":\"RESUME\"}\n");
    CHECK_FALSE(reader.next());
    CHECK(only(reader).name == "RESUME");
  }
}

TEST_CASE("a line without end is refused before it fills the memory") {
  QmpReader reader;
  reader.feed(std::string(kMaxQmpLine.count + 1, 'x'));
  CHECK_FALSE(reader.next());
}

TEST_CASE("deep nesting is refused") {
  CHECK_FALSE(qmp_message("{\"return\":" + std::string(100000, '[')));
}

}  // namespace pybox::vm
