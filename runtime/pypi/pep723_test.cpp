#include "pypi/pep723.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::pypi {
namespace {

std::string said_of_script(const std::string& script) {
  const auto read = read_inline_script(script);
  if (!read) {
    CHECK(read.error().kind() == ErrorKind::Refused);
    return read.error().message();
  }
  if (read->line == 0) return "no block" + (read->almost.empty() ? "" : "; " + read->almost);
  return "line " + std::to_string(read->line) + ": " + to_requirements(read->dependencies) +
         read->requires_python.value_or("any");
}

}  // namespace

TEST_CASE("the example of PEP 723 is read") {
  const auto script = read_inline_script(
      "#!/usr/bin/env python3\n# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n"
      "#   \"requests<3\",\n#   \"rich\",\n# ]\n# ///\n\nimport requests\n");
  REQUIRE(script);
  CHECK(script->line == 2);
  CHECK(script->block ==
        "requires-python = \">=3.11\"\ndependencies = [\n  \"requests<3\",\n  \"rich\",\n]\n");
  CHECK(to_requirements(script->dependencies) == "requests<3\nrich\n");
  CHECK(script->requires_python == ">=3.11");
  CHECK(script->tools.empty());
}

TEST_CASE("a script without block has none") {
  CHECK(said_of_script("") == "no block");
  CHECK(said_of_script("print(1)\n") == "no block");
  CHECK(said_of_script("# /// pyproject\n# x = 1\n# ///\n") == "no block");
  CHECK(said_of_script("  # /// script\n  # ///\n") ==
        "no block; line 1 must read exactly `# /// script`");
  CHECK(said_of_script("x\n#/// script\n# ///\n") ==
        "no block; line 2 must read exactly `# /// script`");
  CHECK(said_of_script("# /// Script\n# ///\n") ==
        "no block; line 1 must read exactly `# /// script`");
  CHECK(said_of_script("# /// script \n# ///\n") ==
        "no block; line 1 must read exactly `# /// script`");
}

TEST_CASE("an unclosed block is ignored, and told") {
  const std::string told = "no block; the block of line 1 is not closed by a line `# ///`";
  CHECK(said_of_script("# /// script\n# dependencies = ['a']\n") == told);
  CHECK(said_of_script("# /// script\n# dependencies = ['a']\n\n# ///\n") == told);
  CHECK(said_of_script("# /// script\n# dependencies = ['a']\n#x\n# ///\n") == told);
  CHECK(said_of_script("# /// script\n# dependencies = ['a']\n# /// \n") == told);
  CHECK(said_of_script("# /// script\nx = 1\n# /// script\n# ///\n") == "line 3: any");
}

TEST_CASE("the last closing line of the comment lines ends a block") {
  const auto script = read_inline_script(
      "# /// script\n# dependencies = []\n# [tool.x]\n# text = '''\n# ///\n#\n# /// <summary>\n"
      "# /// word\n# '''\n# [tool.\"a b\"]\n# ///\n# not in the block\n");
  REQUIRE(script);
  CHECK(script->line == 1);
  CHECK(script->tools == std::vector<std::string>{"a b", "x"});
  CHECK(script->block.ends_with("[tool.\"a b\"]\n"));
  CHECK(script->block.find("///\n\n/// <summary>\n/// word\n") != std::string::npos);
}

TEST_CASE("an empty block, other line ends, a byte-order mark and other types are read") {
  CHECK(said_of_script("# /// script\n# ///") == "line 1: any");
  CHECK(said_of_script("# /// script\r\n# dependencies = ['a']\r\n# ///\r\n") == "line 1: a\nany");
  CHECK(said_of_script("x\r# /// script\r# dependencies = ['a']\r# ///\r") == "line 2: a\nany");
  CHECK(said_of_script("\xEF\xBB\xBF# /// script\n#\n# ///\n") == "line 1: any");
  CHECK(said_of_script("# /// other\n# not = toml = at all\n# ///\n\n# /// script\n# ///\n") ==
        "line 5: any");
  CHECK(said_of_script("# /// script\n# requires-python = ''\n# ///\n") == "line 1: ");
}

TEST_CASE("two blocks of one type are refused") {
  CHECK(said_of_script("# /// script\n# ///\n\n# /// script\n# ///\n") ==
        "line 4: a second `script` block; the first is in line 1");
  CHECK(said_of_script("# /// x\n# ///\n\n# /// script\n# ///\n\n# /// x\n# ///\n") ==
        "line 7: a second `x` block; the first is in line 1");
  CHECK(said_of_script("# /// script\n# ///\n# /// script\n# ///\n") ==
        "line 3: a block starts inside the one of line 1; a line that is not a comment must be "
        "between two blocks");
}

TEST_CASE("malformed content is refused with the line of the script") {
  const auto in_block = [](const std::string& line) {
    return said_of_script("x = 1\n# /// script\n# " + line + "\n# ///\n");
  };
  CHECK(in_block("dependencies = [").find(": no valid TOML: ") != std::string::npos);
  CHECK(in_block("dependencies = 'a").find("line 3: no valid TOML: ") == 0);
  CHECK(in_block("a = 1\n# a = 2").find("line 4: no valid TOML: ") == 0);
  CHECK(in_block("dependencies = 'a'") ==
        "line 3: `dependencies` of the `script` block must be a list, not a text");
  CHECK(in_block("dependencies = [\n#  'a',\n#  1]") ==
        "line 5: a dependency must be a text, not a number");
  CHECK(in_block("dependencies = [\n#  'a',\n#  'b @ https://example.org/b.whl']") ==
        "line 5: `b @ https://example.org/b.whl` is a link; only packages of the index can be "
        "locked");
  CHECK(in_block("dependencies = [\"a\\n--index-url=x\"]") ==
        "line 3: `a\\x0a--index-url=x` has characters other than printable ASCII");
  CHECK(in_block("requires-python = 3.13") ==
        "line 3: `requires-python` of the `script` block must be a text, not a number");
  CHECK(in_block("requires-python = '3.13'") ==
        "line 3: `3.13` is not a version specifier (PEP 440)");
  CHECK(in_block("dependancies = []") ==
        "line 3: `dependancies` is unknown in the `script` block; did you mean `dependencies`?");
  CHECK(in_block("tool = 1") ==
        "line 3: `tool` of the `script` block must be a table, not a number");
  CHECK(in_block("x\xFF = 1") == "line 3: no valid TOML: not UTF-8");
  CHECK(in_block(std::string("x = '\0'", 7)) == "line 3: no valid TOML: a NUL byte");
  CHECK(in_block("x = " + std::string(200, '[')).find("line 3: no valid TOML: ") == 0);
  CHECK(in_block("x = '" + std::string(kMaxBlockBytes, 'x') + "'") ==
        "line 2: the block has more than 65536 bytes");
}

}  // namespace pybox::pypi
