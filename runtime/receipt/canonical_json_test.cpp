#include "receipt/canonical_json.hpp"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace pybox {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string canonical_of(const char* text) { return canonical_json(json::parse(text)).value(); }

}  // namespace

TEST_CASE("numbers are written as RFC 8785 appendix B writes them") {
  const struct {
    std::uint64_t bits;
    const char* text;
  } samples[] = {
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (const auto& sample : samples) {
    CHECK(ecmascript_number(std::bit_cast<double>(sample.bits)) == sample.text);
  }
  for (const char* text : {"1", "10", "0.1", "123456.789", "-1.5", "100", "1e-7", "1e+100"}) {
    CHECK(ecmascript_number(std::stod(text)) == text);
  }
}

TEST_CASE("the example of RFC 8785 section 3.2.2 comes out byte for byte") {
  CHECK(canonical_of(R"({
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]})") ==
        "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
        "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST_CASE("keys stand in UTF-16 order, as in RFC 8785 section 3.2.3") {
  CHECK(canonical_of(R"({
    "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7})") ==
        "{\"\\r\":2,\"1\":4,\"\xc2\x80\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\xef\xac\xb3\":3}");
  CHECK(canonical_of(R"({"b":1,"ab":2,"a":3,"":4})") == R"({"":4,"a":3,"ab":2,"b":1})");
}

TEST_CASE("the order of keys and the spelling of numbers do not change the bytes") {
  const auto a = ordered_json::parse(R"({"x":1.0,"y":[1e2,{"d":0,"c":-0.0}]})");
  const auto b = ordered_json::parse(R"({"y":[100,{"c":0,"d":0}],"x":1})");
  CHECK(canonical_json(a).value() == canonical_json(b).value());
  CHECK(canonical_json(a).value() == R"({"x":1,"y":[100,{"c":0,"d":0}]})");
}

TEST_CASE("what has no canonical form is an error") {
  CHECK_FALSE(canonical_json(json(std::uint64_t{1} << 53U)));
  CHECK(canonical_json(json((std::uint64_t{1} << 53U) - 1)).value() == "9007199254740991");
  CHECK_FALSE(canonical_json(json(-(std::int64_t{1} << 53U))));
  CHECK_FALSE(canonical_json(json(std::numeric_limits<double>::infinity())));
  CHECK_FALSE(canonical_json(json("\xff")));
  CHECK_FALSE(canonical_json(json{{"\xff", 1}}));
  CHECK_FALSE(canonical_json(json::binary({1})));
  CHECK(canonical_json(json("\xff")).error().message() ==
        "a value has no canonical JSON form (RFC 8785)");
}

TEST_CASE("readable JSON keeps the given order, and lists of plain values on one line") {
  const ordered_json value = {{"b", 1.50},
                              {"a",
                               {{"series", {{0.1, 2, nullptr}, {0.2, 3, 4}}},
                                {"none", ordered_json::array()},
                                {"checks", {{{"ok", true}}}}}}};
  CHECK(readable_json(value) == R"({
  "b": 1.5,
  "a": {
    "series": [[0.1, 2, null], [0.2, 3, 4]],
    "none": [],
    "checks": [
      {
        "ok": true
      }
    ]
  }
}
)");
}

TEST_CASE("readable JSON cannot drive a terminal, and reads back as the same value") {
  const ordered_json value = {{"t", "\x1b[2J \x7f \xc2\x9b \xe2\x80\xae \xf3\xa0\x80\x81 grüß 😀"}};
  const std::string text = readable_json(value);
  CHECK(text == "{\n  \"t\": \"\\u001b[2J \\u007f \\u009b \\u202e \\udb40\\udc01 grüß 😀\"\n}\n");
  CHECK(ordered_json::parse(text) == value);
}

TEST_CASE("a string that is not UTF-8 has no form in JSON") {
  std::string out;
  CHECK_FALSE(append_json_string(out, "\xff", Deceptive::Verbatim));
  CHECK_FALSE(append_json_string(out, "a\xff", Deceptive::Escape));
}

}  // namespace pybox
