#include <catch2/catch_test_macros.hpp>

#include "campaign/cli/bench_words.hpp"
#include "campaign/cli/choose_checks.hpp"
#include "campaign/cli/commands.hpp"
#include "campaign/cli/run_words.hpp"
#include "cli/words/parser.hpp"

namespace pybox::campaign {
namespace {

CheckSources sources() {
  return {.tables = {{"restrictions/a.toml", R"([[check]]
id = "net.thing"
group = "Network"
claim = "A claim."
engines = ["vm", "native"]
probe = "p.py"
cut = ["ns.net"]
expect.protected = ["EPERM"]
)"}},
          .probes = {{"p.py", ""}, {"prelude.py", ""}},
          .drivers = {}};
}

/// "error | hint" of `campaign run WORDS`, or how many checks it chose.
std::string answer(const std::vector<std::string>& words) {
  const auto said = [](const Error& error) {
    return error.message() + (error.hint().empty() ? "" : " | " + error.hint());
  };
  const auto parsed = cli::parse_words(kRun, words);
  if (!parsed) return said(parsed.error());
  const auto read = run_words(parsed.value().words, sources());
  if (!read) return said(read.error());
  return std::to_string(read.value().checks.size());
}

TEST_CASE("checks are chosen by all, area, engine and name") {
  CHECK(answer({"--all"}) == "2");
  CHECK(answer({"--all", "--engine", "vm"}) == "1");
  CHECK(answer({"--area", "restrictions"}) == "2");
  CHECK(answer({"net.thing"}) == "2");
  CHECK(answer({"net.thing@vm"}) == "1");
  CHECK(answer({"net.thing@vm", "net.thing@native"}) == "2");
  CHECK(answer({"net.thing", "--engine", "native"}) == "1");
}

TEST_CASE("a choice that names nothing is a usage error that says what was meant") {
  const std::string list = "`campaign list` shows what there is";
  CHECK(answer({}) == "`campaign run` needs `--all`, `--area A` or the name of a check | " + list);
  CHECK(answer({"net.thign"}) == "unknown check `net.thign` | did you mean `net.thing`?");
  CHECK(answer({"xyz"}) == "unknown check `xyz` | " + list);
  CHECK(answer({"--area", "restriction"}) ==
        "unknown area `restriction` | did you mean `restrictions`?");
  CHECK(answer({"--area", "speed"}) == "no check matches | " + list);
  CHECK(answer({"--all", "--engine", "nativ"}) ==
        "unknown engine `nativ` | did you mean `native`?");
  CHECK(answer({"--all", "--engine", "docker"}) == "no check matches | " + list);
}

TEST_CASE("words that contradict each other are a usage error") {
  CHECK(answer({"--all", "net.thing"}) == "`--all` cannot be combined with a choice of checks");
  CHECK(answer({"--all", "--area", "files"}) ==
        "`--all` cannot be combined with a choice of checks");
  CHECK(answer({"--resume", "--all"}) == "`--resume` continues a plan; it takes no checks");
  CHECK(answer({"--resume"}) == "0");
}

TEST_CASE("a number of passes is one from 1 to 100") {
  CHECK(answer({"--all", "--passes", "3"}) == "2");
  for (const char* word : {"0", "101", "x", "3x", ""}) {
    CHECK(answer({"--all", "--passes", word}) ==
          "`--passes` must be a number from 1 to 100, not `" + std::string(word) + "`");
  }
}

TEST_CASE("a list of expected checks that cannot be read is a usage error") {
  const auto parsed =
      cli::parse_words(kRun, std::vector<std::string>{"--all", "--expect", "/nowhere"});
  const auto read = run_words(parsed.value().words, sources());
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().kind() == ErrorKind::Usage);
  CHECK(read.error().message().starts_with("`--expect`: "));
}

TEST_CASE("an unknown option names the program and the nearest option") {
  const auto parsed = cli::parse_words(kRun, std::vector<std::string>{"--al"});
  CHECK(parsed.error().message() == "unknown option `--al` for `campaign run`");
  CHECK(parsed.error().hint() == "did you mean `--all`?");
}

/// "error | hint" of `campaign bench WORDS`, or what it was read as.
std::string bench_answer(const std::vector<std::string>& words) {
  const auto said = [](const Error& error) {
    return error.message() + (error.hint().empty() ? "" : " | " + error.hint());
  };
  const auto parsed = cli::parse_words(kBench, words);
  if (!parsed) return said(parsed.error());
  const auto read = bench_words(parsed.value().words);
  if (!read) return said(read.error());
  std::string text;
  for (const EngineKind engine : read->engines) text += std::string(name_of(engine)) + " ";
  for (const std::string& image : read->images) text += image + " ";
  return text + std::to_string(read->runs) + " " + std::to_string(read->warm_up) + " " +
         std::to_string(read->think.count());
}

TEST_CASE("a bench is of both engines and images unless it is told otherwise") {
  CHECK(bench_answer({}) == "native vm stdlib data 100 3 0");
  CHECK(bench_answer({"--engine", "vm", "--images", "data", "--runs", "7", "--warm-up", "0",
                      "--think", "10"}) == "vm data 7 0 10");
  CHECK(bench_answer({"--images", "data,stdlib,data"}) == "native vm data stdlib 100 3 0");
}

TEST_CASE("words of a bench that mean nothing are told with what was meant") {
  CHECK(bench_answer({"--engine", "nativ"}) ==
        "`campaign bench` does not know the engine `nativ` | did you mean `native`?");
  CHECK(bench_answer({"--engine", "docker"}) ==
        "`campaign bench` does not know the engine `docker` | engines are `vm` and `native`");
  CHECK(bench_answer({"--images", "stdlib,dat"}) ==
        "`--images`: there is no program to time for `dat` | did you mean `data`?");
  CHECK(bench_answer({"--images", ""}) ==
        "`--images`: there is no program to time for `` | images are `stdlib` and `data`");
  for (const char* word : {"0", "10001", "x", "3x", "-1", ""}) {
    CHECK(bench_answer({"--runs", word}) ==
          "`--runs` must be a number from 1 to 10000, not `" + std::string(word) + "`");
  }
  CHECK(bench_answer({"--think", "60001"}).starts_with("`--think` must be a number from 0"));
  CHECK(bench_answer({"--peers"}).starts_with("unknown option `--peers` for `campaign bench`"));
  CHECK(bench_answer({"stdlib"}).find("`campaign bench`") != std::string::npos);
}

TEST_CASE("the areas are those of the contract") {
  CHECK(known_areas().size() == 11);
  CHECK(known_areas().front() == "restrictions");
}

}  // namespace
}  // namespace pybox::campaign
