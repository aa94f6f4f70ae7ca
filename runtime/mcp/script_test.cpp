#include "mcp/script.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::mcp {

namespace {

Asked asked_for(std::string script, std::vector<std::string> dependencies = {}) {
  Asked asked;
  asked.request.program = std::move(script);
  asked.dependencies = std::move(dependencies);
  return asked;
}

constexpr const char* kScript =
    "# /// script\n# requires-python = \">=3.12\"\n# dependencies = [\"numpy>=2\"]\n# "
    "///\nprint(1)\n";

}  // namespace

TEST_CASE("dependencies of the metadata and of the call are merged") {
  const auto merged = script_dependencies(asked_for(kScript, {"pandas"}), {});
  REQUIRE(merged);
  REQUIRE(merged->size() == 2);
  CHECK((*merged)[0].name == "numpy");
  CHECK((*merged)[1].name == "pandas");
}

TEST_CASE("a script is judged without being run") {
  const Validation good = validate_script(asked_for(kScript), {});
  CHECK(good.valid);
  CHECK(good.text.find("numpy>=2") != std::string::npos);
  CHECK(good.text.find("no engine was asked") != std::string::npos);
  CHECK(validate_script(asked_for("print(1)"), {}).valid);
  CHECK_FALSE(validate_script(asked_for("# /// script\n# dependencies = 7\n# ///\n"), {}).valid);
  CHECK_FALSE(validate_script(asked_for("", {"numpy >>> 2"}), {}).valid);
  CHECK_FALSE(
      validate_script(asked_for("# /// script\n# requires-python = \">=3.14\"\n# ///\n"), {})
          .valid);
}

}  // namespace pybox::mcp
