#include "cli/words/exec_words.hpp"

#include <catch2/catch_test_macros.hpp>

#include "cli/words/parser.hpp"

namespace pybox::cli {
namespace {

using List = std::vector<std::string>;

Result<ExecOptions> options_of(const List& words, bool stdin_is_terminal = false) {
  static const Command kCommand = exec_command(nullptr);
  const Parsed parsed = PYBOX_TRY(parse_words(kCommand, words));
  Terminal terminal;
  terminal.in_is_terminal = stdin_is_terminal;
  return exec_options(parsed.words, terminal);
}

std::string time_problem(const char* value) {
  const auto options = options_of({"a.py", "--timeout", value});
  return options ? "" : options.error().message();
}

}  // namespace

TEST_CASE("every option of exec reaches its place") {
  const auto options = options_of({"--engine", "native", "--image", "data", "--python=3.14",
                                   "--timeout", "12.5", "--stdin", "in.txt", "--receipt", "r.json",
                                   "--json", "--quiet", "--cold", "a.py", "x", "y"});
  REQUIRE(options);
  CHECK(options->engine == "native");
  CHECK(options->image == "data");
  CHECK(options->python == "3.14");
  CHECK(options->timeout_s == 12.5);
  CHECK(options->stdin_source.kind == StdinSource::Kind::File);
  CHECK(options->stdin_source.path == "in.txt");
  CHECK(options->receipt_file == "r.json");
  CHECK(options->json);
  CHECK(options->quiet);
  CHECK(options->cold);
  CHECK(options->program.kind == ProgramSource::Kind::File);
  CHECK(options->program.word == "a.py");
  CHECK(options->args == List{"x", "y"});
}

TEST_CASE("what was not said keeps its default") {
  const auto options = options_of({"-c", "print(1)"});
  REQUIRE(options);
  CHECK_FALSE(options->engine);
  CHECK(options->image == "stdlib");
  CHECK_FALSE(options->python);
  CHECK_FALSE(options->timeout_s);
  CHECK(options->program.kind == ProgramSource::Kind::Code);
  CHECK(options->program.word == "print(1)");
}

TEST_CASE("stdin is the caller's unless it is a terminal or holds the program") {
  CHECK(options_of({"a.py"})->stdin_source.kind == StdinSource::Kind::Caller);
  CHECK(options_of({"a.py"}, true)->stdin_source.kind == StdinSource::Kind::Empty);
  CHECK(options_of({"-"})->stdin_source.kind == StdinSource::Kind::Empty);
  CHECK(options_of({"-"})->program.kind == ProgramSource::Kind::Stdin);
  CHECK(options_of({"a.py", "--stdin", "-"}, true)->stdin_source.kind == StdinSource::Kind::Caller);
}

TEST_CASE("a time that is not a number is named") {
  for (const char* wrong : {"", "abc", "1s", "1,5", " 1", "1 ", "0x10", "--1", "1e"}) {
    CHECK(time_problem(wrong) ==
          "`--timeout` takes a number of seconds, not `" + std::string(wrong) + "`");
  }
  CHECK(time_problem("\x1b") == "`--timeout` takes a number of seconds, not `\\x1b`");
  // Whether these are sensible is for check_timeout to say.
  for (const char* number : {"nan", "inf", "-1", "0", "1e99", "1e999"})
    CHECK(time_problem(number).empty());
}

}  // namespace pybox::cli
