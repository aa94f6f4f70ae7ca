#include "mcp/operator.hpp"

#include <catch2/catch_test_macros.hpp>

#include "mcp/arguments.hpp"
#include "mcp/catalogue.hpp"

namespace pybox::mcp {

using std::chrono::seconds;

namespace {

std::string why_refused(std::string_view arguments, const Operator& allowed = {}) {
  const Asked asked = run_python_asked(arguments, allowed);
  return asked.refusal ? asked.refusal->message() : "";
}

}  // namespace

TEST_CASE("ceilings and defaults are the tools' own until the operator sets them") {
  Operator allowed;
  CHECK(allowed.ceiling_of(Tool::RunPython) == seconds(2));
  CHECK(allowed.ceiling_of(Tool::ExecutePython) == seconds(30));
  CHECK(allowed.default_of(Tool::ExecutePython) == seconds(30));
  allowed.max_timeout = seconds(10);
  CHECK(allowed.ceiling_of(Tool::RunPython) == seconds(10));
  CHECK(allowed.default_of(Tool::RunPython) == seconds(2));
  CHECK(allowed.default_of(Tool::ExecutePython) == seconds(10));
  allowed.default_timeout = seconds(5);
  CHECK(allowed.default_of(Tool::RunPython) == seconds(5));
  CHECK(check_operator(allowed));
  allowed.default_timeout = seconds(11);
  CHECK_FALSE(check_operator(allowed));
  allowed.max_timeout.reset();
  CHECK_FALSE(check_operator(allowed));
}

TEST_CASE("lists name what there is, once") {
  Operator allowed;
  allowed.images = {"stdlib", "stdlib"};
  CHECK_FALSE(check_operator(allowed));
  allowed.images = {"../etc"};
  CHECK_FALSE(check_operator(allowed));
  allowed.images = {};
  CHECK_FALSE(check_operator(allowed));
  allowed.images = {"data"};
  CHECK(check_operator(allowed));
  CHECK(run_python_asked(R"({"code":""})", allowed).request.image == "data");
}

TEST_CASE("what the operator allows is asked for") {
  const Asked asked = run_python_asked(
      R"x({"code":"print(1)","timeout_s":1.5,"max_output_bytes":10,"image":"stdlib","return_files":true,
          "files":[{"name":"a","content":"aGk=","encoding":"base64"},{"name":"b","content":"\u00e9"}]})x",
      {});
  REQUIRE_FALSE(asked.refusal);
  CHECK(asked.request.program == "print(1)");
  CHECK(asked.request.timeout == Millis(1500));
  CHECK(asked.request.limits.stdout_bytes.count == 10);
  CHECK(asked.request.return_files);
  REQUIRE(asked.request.inputs.size() == 2);
  CHECK(asked.request.inputs[0].bytes == "hi");
  CHECK(asked.request.inputs[1].bytes == "\xC3\xA9");
  CHECK(asked.request.when_orphaned == Request::WhenOrphaned::Kill);
}

TEST_CASE("every bad argument is refused in one sentence that names it") {
  CHECK(why_refused("{}") == "`code` is required");
  CHECK(why_refused(R"({"code":7})") == "`code` must be text");
  CHECK(why_refused(R"({"code":null})") == "`code` must be text");
  CHECK(why_refused(R"({"code":"","cod":1})") == "`run_python` takes no `cod`");
  CHECK(why_refused(R"({"code":")" + std::string(65537, 'x') + R"("})").find("65536") !=
        std::string::npos);
  for (const char* timeout : {"-1", "0", "0.0001", "\"5\"", "true", "null", "[]"}) {
    INFO(timeout);
    CHECK(why_refused(std::string(R"({"code":"","timeout_s":)") + timeout + "}")
              .find("`timeout_s` must be") == 0);
  }
  for (const char* timeout : {"2.001", "1e308", "9223372036854775808", "31"}) {
    INFO(timeout);
    CHECK(why_refused(std::string(R"({"code":"","timeout_s":)") + timeout + "}")
              .find("(set by the server)") != std::string::npos);
  }
  for (const char* bytes : {"0", "8193", "1.5", "-1", "\"1\"", "true"}) {
    INFO(bytes);
    CHECK_FALSE(
        why_refused(std::string(R"({"code":"","max_output_bytes":)") + bytes + "}").empty());
  }
  CHECK(why_refused(R"({"code":"","image":"data"})") ==
        "the image `data` is not allowed (set by the server)");
  CHECK_FALSE(why_refused(R"({"code":"","image":7})").empty());
  CHECK_FALSE(why_refused(R"({"code":"","return_files":1})").empty());
  for (const char* file :
       {"7", "{}", R"({"name":"a"})", R"({"name":"a","content":7})",
        R"({"name":"a","content":"","x":1})", R"({"name":"a","content":"!","encoding":"base64"})",
        R"({"name":"a","content":"","encoding":"utf-16"})", R"({"name":"../a","content":""})",
        R"({"name":"","content":""})", R"({"name":"a\u0000","content":""})"}) {
    INFO(file);
    CHECK_FALSE(why_refused(std::string(R"({"code":"","files":[)") + file + "]}").empty());
  }
}

TEST_CASE("a whole number may be written with a point") {
  CHECK(why_refused(R"({"code":"","max_output_bytes":10.0,"timeout_s":2.0})").empty());
  CHECK_FALSE(execute_python_asked(R"({"script":"","timeout_seconds":3.0})", {}).refusal);
  CHECK(execute_python_asked(R"({"script":"","timeout_seconds":1.5})", {}).refusal);
  CHECK(execute_python_asked(R"({"script":"","timeout_seconds":31})", {}).refusal);
}

TEST_CASE("the list of tools is the same text for every client of one operator") {
  const Operator allowed;
  CHECK(Catalogue(allowed).tools(Era::Legacy) == Catalogue(allowed).tools(Era::Legacy));
  CHECK(Catalogue(allowed).tools(Era::Modern).starts_with(Catalogue(allowed).tools(Era::Legacy)));
}

}  // namespace pybox::mcp
