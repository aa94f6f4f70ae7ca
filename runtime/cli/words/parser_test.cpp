#include "cli/words/parser.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>

#include "cli/words/exec_words.hpp"

namespace pybox::cli {
namespace {

Result<int> nothing(const Words&, const Surroundings&) { return 0; }

const Command kExec = exec_command(nothing);

constexpr std::array kListOptions = {Option{"--json", "", "print JSON"},
                                     Option{"--key", "PUB", "a key"}};
constexpr std::array kListWords = {Positional{"FILE", "a file"}, Positional{"ID", "an id", false}};
constexpr Command kVerify{"verify", "Verify", "", kListWords, kListOptions, "", "", nothing};
constexpr Command kStart{"vm start", "Start", "", {}, kListOptions, "", "", nothing};
constexpr std::array kManyWords = {Positional{"ID", "ids", true, true}};
constexpr Command kMany{"show many", "Show", "", kManyWords, kListOptions, "", "", nothing};
constexpr Command kStop{"vm stop", "Stop", "", {}, {}, "", "", nothing};

using List = std::vector<std::string>;
using Map = std::map<std::string, std::string, std::less<>>;

Result<Parsed> parsed(const List& words) {
  static const std::array<const Command*, 5> kAll = {&kExec, &kVerify, &kStart, &kStop, &kMany};
  return parse(words, kAll);
}

Words words_of(const List& words) {
  auto result = parsed(words);
  INFO((result ? "" : result.error().message()));
  REQUIRE(result);
  return result->words;
}

/// The message and the hint, as they are printed.
std::string problem(const List& words) {
  const auto result = parsed(words);
  if (result) return "";
  CHECK(result.error().kind() == ErrorKind::Usage);
  return result.error().message() + " / " + result.error().hint();
}

}  // namespace

TEST_CASE("options are PyBox's before and after the program") {
  const Words words = words_of({"exec", "--json", "a.py", "--timeout", "3", "--quiet"});
  CHECK(words.positionals == List{"a.py"});
  CHECK(words.options == Map{{"--json", ""}, {"--quiet", ""}, {"--timeout", "3"}});
  CHECK(words.rest.empty());
}

TEST_CASE("a last positional may take every further word") {
  CHECK(words_of({"show", "many", "a", "--json", "b", "c"}).positionals == List{"a", "b", "c"});
  CHECK(problem({"show", "many"}).find("needs ID") != std::string::npos);
}

TEST_CASE("the first word after the program that is not an option starts the program's own") {
  const Words words = words_of({"exec", "a.py", "--json", "x", "--timeout", "--", "-5", ""});
  CHECK(words.options == Map{{"--json", ""}});
  CHECK(words.rest == List{"x", "--timeout", "--", "-5", ""});
}

TEST_CASE("`--` ends PyBox's words and is not handed on") {
  CHECK(words_of({"exec", "a.py", "--", "--timeout", "--json"}).rest ==
        List{"--timeout", "--json"});
  CHECK(words_of({"exec", "a.py", "--", "--", "x"}).rest == List{"--", "x"});
  CHECK(words_of({"exec", "a.py", "--"}).rest.empty());
  const Words before = words_of({"exec", "--quiet", "--", "-strange.py", "--json"});
  CHECK(before.positionals == List{"-strange.py"});
  CHECK(before.rest == List{"--json"});
}

TEST_CASE("with -c the first free word is already the program's") {
  const Words words = words_of({"exec", "-c", "print(1)", "--json", "a.py", "--quiet"});
  CHECK(words.value("-c") == "print(1)");
  CHECK(words.positionals.empty());
  CHECK(words.rest == List{"a.py", "--quiet"});
  CHECK(words_of({"exec", "-cprint(1)"}).value("-c") == "print(1)");
  CHECK(words_of({"exec", "-c", "x", "--", "--json"}).rest == List{"--json"});
}

TEST_CASE("a value is taken as it stands, whatever it looks like") {
  for (const char* value : {"", "-1", "--json", "--", "{}", "[1,2]", "a=b", "%x", "a b\nc", "-"}) {
    CHECK(words_of({"exec", "-c", value}).value("-c") == value);
    CHECK(words_of({"exec", "--image", value, "a.py"}).value("--image") == value);
    CHECK(words_of({"exec", "--image=" + std::string(value), "a.py"}).value("--image") == value);
  }
  CHECK(words_of({"exec", "-"}).positionals == List{"-"});
}

TEST_CASE("a repeatable option keeps every value in order, another may stand once") {
  const Words words = words_of({"exec", "--input", "a", "--input=b", "p.py", "--input", "-"});
  CHECK(words.values("--input") == List{"a", "b", "-"});
  CHECK(words.values("--output").empty());
  CHECK(problem({"exec", "--output", "a", "--output", "b", "p.py"}) ==
        "`--output` appears twice / ");
}

TEST_CASE("an unknown option is wrong usage, not a word for the program") {
  CHECK(problem({"exec", "a.py", "--timout", "3"}) ==
        "unknown option `--timout` for `pybox exec` / did you mean `--timeout`?");
  CHECK(problem({"exec", "a.py", "-5"}) ==
        "unknown option `-5` for `pybox exec` / did you mean `-c`?");
  CHECK(problem({"exec", "a.py", "--network", "x"}) ==
        "unknown option `--network` for `pybox exec` / put `--` before words that belong to the "
        "program");
  CHECK(
      problem({"exec", "--unsealed-i-know-what-i-do", "a.py"}) ==
      "unknown option `--unsealed-i-know-what-i-do` for `pybox exec` / put `--` before words that "
      "belong to the program");
  CHECK(problem({"exec", "--time=3", "a.py"}) ==
        "unknown option `--time` for `pybox exec` / put `--` before words that belong to the "
        "program");
  CHECK(problem({"verify", "--wild", "x"}) ==
        "unknown option `--wild` for `pybox verify` / `pybox verify --help` shows what there is");
  CHECK(problem({"verify", "-\x1b", "x"}).starts_with("unknown option `-\\x1b`"));
}

TEST_CASE("values that are missing, repeated or not wanted are named") {
  CHECK(problem({"exec", "a.py", "--timeout"}) == "`--timeout` needs a value / ");
  CHECK(problem({"exec", "-c"}) == "`-c` needs a value / ");
  CHECK(problem({"exec", "--json=yes", "a.py"}) == "`--json` takes no value / ");
  CHECK(problem({"exec", "--json=", "a.py"}) == "`--json` takes no value / ");
  CHECK(problem({"exec", "--image", "a", "--image", "b", "a.py"}) == "`--image` appears twice / ");
  CHECK(problem({"exec", "--json", "--json", "a.py"}) == "`--json` appears twice / ");
  CHECK(problem({"exec", "-c", "1", "-c", "2"}) == "`-c` appears twice / ");
  CHECK(problem({"exec", "--help=yes"}) == "`--help` takes no value / ");
  CHECK(problem({"exec", "-hq"}).starts_with("unknown option `-hq` for `pybox exec`"));
}

TEST_CASE("words too few or too many are named") {
  CHECK(problem({"exec"}) == "`pybox exec` needs FILE / `pybox exec --help` shows what there is");
  CHECK(problem({"exec", "--json"}) ==
        "`pybox exec` needs FILE / `pybox exec --help` shows what there is");
  CHECK(problem({"exec", "--"}) ==
        "`pybox exec` needs FILE / `pybox exec --help` shows what there is");
  CHECK(problem({"verify"}) ==
        "`pybox verify` needs FILE / `pybox verify --help` shows what there is");
  CHECK(problem({"verify", "a", "b", "c\n"}) ==
        "unexpected word `c\\x0a` for `pybox verify` / `pybox verify --help` shows what there is");
  CHECK(words_of({"verify", "a", "--key", "k", "b"}).positionals == List{"a", "b"});
  CHECK(words_of({"verify", "--", "--key"}).positionals == List{"--key"});
}

TEST_CASE("commands of two words are found, misspelt ones offer the nearest") {
  CHECK(parsed({"vm", "start", "--json"})->command == &kStart);
  CHECK(problem({"vm", "strt"}) ==
        "unknown command `pybox vm strt` / did you mean `pybox vm start`?");
  CHECK(problem({"vm"}) ==
        "`pybox vm` needs a command: start|stop / `pybox vm --help` shows what there is");
  CHECK(problem({"exce", "a.py"}) == "unknown command `pybox exce` / did you mean `pybox exec`?");
  CHECK(problem({"vn", "start"}) == "unknown command `pybox vn` / did you mean `pybox vm`?");
  CHECK(problem({"frobnicate"}) ==
        "unknown command `pybox frobnicate` / `pybox --help` shows what there is");
  CHECK(problem({"batch", "x"}) ==
        "unknown command `pybox batch` / `pybox --help` shows what there is");
  CHECK(problem({"--json"}) ==
        "unknown command `pybox --json` / `pybox --help` shows what there is");
  CHECK(problem({""}) ==
        "`pybox ` needs a command: exec|verify / `pybox --help` shows what there is");
}

TEST_CASE("the word --help wins over missing words, and belongs to the program after them") {
  for (const char* help : {"--help", "-h"}) {
    CHECK(parsed({"exec", help})->wants_help);
    CHECK(parsed({"exec", "a.py", help})->wants_help);
    CHECK_FALSE(parsed({"exec", "a.py", "--", help})->wants_help);
    CHECK_FALSE(parsed({"exec", "a.py", "x", help})->wants_help);
    CHECK_FALSE(parsed({"exec", "-c", help})->wants_help);
  }
}

}  // namespace pybox::cli
