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
  Operator allowed;
  CHECK_FALSE(script_needs(asked_for(kScript), allowed));  // none are allowed
  CHECK(script_needs(asked_for("print(1)"), allowed));
  allowed.packages = Packages::Locked;
  const auto needs = script_needs(asked_for(kScript, {"pandas"}), allowed);
  REQUIRE(needs);
  REQUIRE(needs->script.dependencies.size() == 2);
  CHECK(needs->script.dependencies[0].name == "numpy");
  CHECK(needs->script.dependencies[1].name == "pandas");
  allowed.script_image = [](const builder::ScriptNeeds& asked) -> Result<builder::ScriptImage> {
    CHECK(asked.script.dependencies.size() == 2);
    return builder::ScriptImage{"deps.1", "3.14"};
  };
  Request request;
  request.limits = limits_for_image("stdlib");
  request.limits.stdout_bytes = Bytes{7};
  REQUIRE(take_packages(request, *needs, allowed));
  CHECK(request.image == "deps.1");
  CHECK(request.python == "3.14");
  CHECK(request.limits.memory == limits_for_image("deps.1").memory);
  CHECK(request.limits.stdout_bytes.count == 7);
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
