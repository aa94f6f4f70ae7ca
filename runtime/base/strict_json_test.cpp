#include "base/strict_json.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pybox {
namespace {

std::string problem_of(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed ? "" : parsed.error().message();
}

}  // namespace

TEST_CASE("what is not exactly one JSON text is refused, with its place") {
  CHECK(problem_of(R"({"a":[1,2.5,null,true,"x"]})").empty());
  CHECK(problem_of("") == "not JSON at byte 1");
  CHECK(problem_of("{} x") == "not JSON at byte 4");
  CHECK(problem_of("{}{}") == "not JSON at byte 3");
  CHECK(problem_of("[1,]") == "not JSON at byte 4");
  CHECK(problem_of("[NaN]") == "not JSON at byte 2");
  CHECK(problem_of("[1e999]") == "not JSON at byte 6");
  CHECK(problem_of("[\"\xff\"]") == "not JSON at byte 3");
  CHECK(problem_of(R"(["\ud800"])") == "not JSON at byte 9");
  CHECK(problem_of("// no\n1") == "not JSON at byte 1");
  CHECK(problem_of(std::string("{}\0x", 4)) == "not JSON at byte 3");  // a NUL ends no text
  CHECK(problem_of("\xEF\xBB\xBF{}") == "not JSON at byte 1: a byte order mark");
}

TEST_CASE("a key that appears twice is refused at any depth") {
  CHECK(problem_of(R"({"a":1,"a":2})") == "the key `a` appears twice");
  CHECK(problem_of(R"({"x":[{"a":1,"\u0061":1}]})") == "the key `a` appears twice");
  CHECK(problem_of(R"({"x":{"a":1},"y":{"a":1}})").empty());
}

TEST_CASE("nesting has an end") {
  CHECK(problem_of(std::string(16, '[') + std::string(16, ']')).empty());
  CHECK(problem_of(std::string(17, '[') + std::string(17, ']')) == "nested too deeply");
  CHECK(problem_of(std::string(100000, '[')) == "nested too deeply");
}

TEST_CASE("comments are for files that people write") {
  CHECK(parse_json("{/* why */ \"a\": 1 // so\n}", JsonComments::Allow));
  CHECK_FALSE(parse_json("{/* why */ \"a\": 1}"));
  CHECK(parse_json("\xEF\xBB\xBF{}", JsonComments::Allow));
}

TEST_CASE("fields are taken by name, type and range") {
  const auto parsed = parse_json(
      R"({"t":"x","n":7,"neg":-1,"half":0.5,"yes":true,"nil":null,"o":{"k":1},"l":[1,2]})");
  REQUIRE(parsed);
  auto fields = JsonFields::of(*parsed, "").value();
  CHECK(fields.text("t").value() == "x");
  CHECK(fields.count("n").value() == 7);
  CHECK(fields.number("half", 0, 1).value() == 0.5);
  CHECK(fields.flag("yes").value());
  CHECK_FALSE(fields.text_or_null("nil").value());
  CHECK(fields.count_or_null("n").value() == 7);
  CHECK(fields.list("l", 2).value().size() == 2);

  CHECK(fields.count("neg").error().message() ==
        "`neg` must be a whole number from 0 to 9007199254740991");
  CHECK(fields.count("n", 6).error().message() == "`n` must be a whole number from 0 to 6");
  CHECK(fields.count("half").error().message() ==
        "`half` must be a whole number from 0 to 9007199254740991");
  CHECK(fields.count("yes", 1).error().message() == "`yes` must be a whole number from 0 to 1");
  CHECK(fields.number("half", 1, 2).error().message() == "`half` must be a number from 1.0 to 2.0");
  CHECK(fields.text("n").error().message() == "`n` must be text");
  CHECK(fields.text("t", 0).error().message() == "`t` must be text of at most 0 bytes");
  CHECK(fields.flag("t").error().message() == "`t` must be true or false");
  CHECK(fields.list("l", 1).error().message() == "`l` must be a list of at most 1 items");
  CHECK(fields.list("o", 1).error().message() == "`o` must be a list");
  CHECK(fields.object("l").error().message() == "`l` must be an object");
  CHECK(fields.text("gone").error().message() == "`gone` is missing");
  CHECK(fields.text_or_null("gone").error().message() == "`gone` is missing");
  CHECK(JsonFields::of(parsed->at("l"), "").error().message() == "the JSON text must be an object");

  auto inner = fields.object("o").value();
  CHECK(inner.text("k").error().message() == "`o.k` must be text");
  CHECK(inner.finish());
}

TEST_CASE("a key nobody asked for is an error that offers the nearest") {
  const auto parsed = parse_json(R"({"engin":"vm"})");
  auto fields = JsonFields::of(*parsed, "").value();
  CHECK_FALSE(fields.has("engine"));
  const auto end = fields.finish();
  REQUIRE_FALSE(end);
  CHECK(end.error().message() == "unknown key `engin`");
  CHECK(end.error().hint() == "did you mean `engine`?");
}

}  // namespace pybox
