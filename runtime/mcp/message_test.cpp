#include "mcp/message.hpp"

#include <catch2/catch_test_macros.hpp>

#include "mcp/raw_json.hpp"

namespace pybox::mcp {

namespace {

/// The one message of a frame that has one.
Message message_of(std::string_view line) {
  const Frame frame = read_frame(line);
  INFO(line);
  REQUIRE_FALSE(frame.fault);
  REQUIRE(frame.messages.size() == 1);
  return frame.messages.front();
}

int fault_of(std::string_view line) {
  const Frame frame = read_frame(line);
  if (frame.fault) return frame.fault->code;
  return frame.messages.front().fault ? frame.messages.front().fault->code : 0;
}

std::string request_with_id(std::string_view id) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})";
}

std::string modern(std::string_view meta) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)" + std::string(meta) +
         "}}";
}

}  // namespace

TEST_CASE("an id comes back as it was sent") {
  for (const char* id : {"0", "-1", "-0", R"("")", R"("0")", "9007199254740993",
                         "18446744073709551616", "340282366920938463463374607431768211456"}) {
    CHECK(message_of(request_with_id(id)).id == id);
  }
  CHECK(message_of(request_with_id(R"("\u0061\u00e9")")).id == R"("a\u00e9")");
  CHECK(message_of(request_with_id("\"\xC3\xA9\"")).id == R"("\u00e9")");
  CHECK(message_of(R"({"id":{"id":7},"jsonrpc":"2.0","i\u0064":5,"method":"x"})").id.empty());
}

TEST_CASE("what is not an id makes no request") {
  for (const char* id : {"null", "1.5", "1e3", "true", "{}", "[]", "[1]"}) {
    const Message message = message_of(request_with_id(id));
    INFO(id);
    CHECK(message.kind == Message::Kind::Broken);
    CHECK(message.id.empty());
  }
  CHECK(message_of(request_with_id('"' + std::string(5000, 'x') + '"')).kind ==
        Message::Kind::Broken);
}

TEST_CASE("a line that is not JSON is a parse error, JSON that is refused is not") {
  for (const char* line :
       {"{not json", "{} {}", "{\"a\":NaN}", "{\"a\":1,}", "{'a':1}", "{\"a\":01}", "{\"a\":+1}",
        "{\"a\":1} // x", "{\"a\":\"\xFF\"}", "\"\\ud8\""}) {
    INFO(line);
    CHECK(fault_of(line) == code::kParseError);
  }
  CHECK(fault_of(std::string("{}\0", 3)) == code::kParseError);
  for (const char* line :
       {R"({"a":1,"a":2})", R"("\ud800")", "42", "[]", "null", R"({"jsonrpc":"1.0"})"}) {
    INFO(line);
    CHECK(fault_of(line) == code::kInvalidRequest);
  }
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  CHECK(fault_of(deep) == code::kInvalidRequest);
  CHECK(fault_of(std::string(500000, '[')) == code::kParseError);
  CHECK(message_of(R"({"jsonrpc":"2.0","id":4,"method":"a","method":"b"})").id == "4");
}

TEST_CASE("keys are compared byte for byte") {
  const Message message = message_of(
      R"({"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","ID":2,"PARAMS":{"name":"run_python"}})");
  CHECK(message.method == "ping");
  CHECK(message.id == "1");
  CHECK(message.params == "{}");
  CHECK(message_of(R"({"jsonrpc":"2.0","\u0069d":3,"m\u0065thod":"ping"})").id == "3");
}

TEST_CASE("a request or a response, never both") {
  CHECK(message_of(R"({"jsonrpc":"2.0","id":77,"result":{}})").kind == Message::Kind::Response);
  CHECK(message_of(R"({"jsonrpc":"2.0","error":{"code":1,"message":"x"}})").kind ==
        Message::Kind::Response);
  const Message both = message_of(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","result":{}})");
  CHECK(both.kind == Message::Kind::Broken);
  CHECK(both.id == "1");
}

TEST_CASE("the era stands in _meta, with what it needs") {
  const std::string version = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
  const std::string capabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";
  const Message good = message_of(modern("{" + version + "," + capabilities + "}"));
  CHECK(good.era == Era::Modern);
  CHECK_FALSE(good.fault);
  CHECK(message_of(modern("{}")).era == Era::Legacy);
  CHECK(message_of(modern(R"({"progressToken":1})")).era == Era::Legacy);
  CHECK(fault_of(modern("7")) == code::kInvalidParams);
  CHECK(fault_of(modern("{" + version + "}")) == code::kInvalidParams);
  CHECK(fault_of(modern("{" + capabilities + "}")) == code::kInvalidParams);
  CHECK(fault_of(modern("{" + version + R"(,"io.modelcontextprotocol/clientCapabilities":[]})")) ==
        code::kInvalidParams);
  CHECK(fault_of(modern(R"({"io.modelcontextprotocol/protocolVersion":20260728,)" + capabilities +
                        "}")) == code::kInvalidParams);
  const Message old = message_of(
      modern(R"({"io.modelcontextprotocol/protocolVersion":"2025-11-25",)" + capabilities + "}"));
  REQUIRE(old.fault);
  CHECK(old.fault->code == code::kUnsupportedProtocolVersion);
  CHECK(old.fault->data == R"({"supported":["2026-07-28"],"requested":"2025-11-25"})");
  CHECK(fault_of(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})") == code::kInvalidParams);
}

TEST_CASE("a batch is one to thirty-two messages") {
  CHECK(read_frame(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},7])").messages.size() == 2);
  std::string many = "[1";
  for (int i = 0; i < 32; ++i) many += ",1";
  CHECK(read_frame(many + "]").fault);
}

TEST_CASE("raw pieces of JSON are found at any depth") {
  CHECK(raw_member(R"( { "a" : [ "}" , {"b":"\""} ] , "b" : 1.50 } )", "b") == "1.50");
  CHECK(raw_member(R"({"a":{"b":2}})", "b").empty());
  CHECK(raw_member("[1]", "a").empty());
  CHECK(raw_elements(R"([ 1 , {"a":[2,3]}, "x]" ])").size() == 3);
  CHECK(raw_elements("[]").empty());
}

TEST_CASE("cancelling names an id and its type") {
  CHECK(cancelled_id(R"({"requestId":5})") == "5");
  CHECK(cancelled_id(R"({"requestId":"5"})") == R"("5")");
  CHECK(cancelled_id(R"({"requestId":{}})").empty());
  CHECK(cancelled_id("{}").empty());
}

TEST_CASE("a version that is known comes back, any other gets the newest") {
  for (const char* known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    CHECK(negotiate(known) == known);
  for (const char* other : {"", "1999-01-01", "2026-07-28", "2025-11-25 "})
    CHECK(negotiate(other) == "2025-11-25");
}

}  // namespace pybox::mcp
