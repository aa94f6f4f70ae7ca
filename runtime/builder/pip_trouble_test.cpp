#include "builder/pip_trouble.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::builder {
namespace {

// What pip 25.1 printed and logged, addresses shortened.
constexpr std::string_view kWrongHash =
    "Collecting tabulate==0.9.0 (from -r r.txt (line 1))\n"
    "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated "
    "the package versions, please update the hashes.\n"
    "    tabulate==0.9.0 from https://i/tabulate-0.9.0-py3-none-any.whl (from -r r.txt (line 1)):\n"
    "        Expected sha256 00\n             Got        024c\n";
constexpr std::string_view kNoMatch =
    "ERROR: Could not find a version that satisfies the requirement docopt==0.6.2 (from versions: "
    "none)\nERROR: No matching distribution found for docopt==0.6.2\n";
constexpr std::string_view kSources =
    "2026-11-29T21:59:43,063 Skipping link: not a file: https://i/simple/docopt/\n"
    "2026-11-29T21:59:43,063   Skipping link: No sources permitted for docopt: "
    "https://i/docopt-0.6.2.tar.gz (from https://i/docopt/)\n";
constexpr std::string_view kOtherVersions =
    "2026-11-29T21:59:43,063   Skipping link: No sources permitted for docopt: "
    "https://i/docopt-0.6.2.1.tar.gz (from https://i/docopt/)\n"
    "2026-11-29T21:59:43,063   Found link https://i/docopt-0.6.1-py3-none-any.whl (from "
    "https://i/docopt/), version: 0.6.1\n";
constexpr std::string_view kOtherPlatform =
    "2026-11-29T21:59:44,458   Skipping link: none of the wheel's tags (cp39-cp39-win32) are "
    "compatible (run pip debug --verbose to show compatible tags): "
    "https://i/Docopt-0.6.2-cp39-cp39-win32.whl (from https://i/docopt/)\n";
constexpr std::string_view kRefused =
    "WARNING: Retrying (Retry(total=0)) after connection broken by "
    "'NewConnectionError('<pip.conn>: "
    "Failed to establish a new connection: [Errno 111] Connection refused')': /simple/docopt/\n";

std::string pip_says(std::string_view said, std::string_view log = {}) {
  const Error error = pip_error(said, log, "3.13");
  CHECK((error.hint().empty() == error.message().starts_with("the builder failed")));
  return error.message();
}

}  // namespace

TEST_CASE("pip's failures are told apart") {
  CHECK(pip_says(kWrongHash).starts_with("a file of `tabulate==0.9.0` is not the one"));
  CHECK(pip_error(kWrongHash, {}, "3.13").kind() == ErrorKind::Evidence);
  const std::string no_wheel = "there is no wheel of `docopt==0.6.2` for Python 3.13";
  CHECK(pip_says(kNoMatch, kSources).starts_with(no_wheel));
  CHECK(pip_says(kNoMatch, kOtherPlatform).starts_with(no_wheel));
  CHECK(pip_says(kNoMatch, kOtherVersions) == "the package index has no `docopt==0.6.2`");
  CHECK(pip_says(kNoMatch) == "the package index has no `docopt==0.6.2`");
  const std::string unreachable =
      "the package index cannot be reached from the builder:\n  WARNING: Retrying";
  CHECK(pip_says(std::string(kRefused) + std::string(kNoMatch)).starts_with(unreachable));
  CHECK(pip_says(kNoMatch, kRefused).starts_with(unreachable));
  CHECK(pip_says(kNoMatch, "by 'SSLError(SSLCertVerificationError(1, ''))': /simple/x/")
            .find("SSLCertVerificationError") != std::string::npos);
  CHECK(pip_says("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on "
                 "device\n") == "the builder ran out of space");
  CHECK(pip_says("one\ntwo\n") == "the builder failed:\none\ntwo");
  CHECK(pip_says("1\n2\n3\n4\n5\n6\n7\n8").ends_with("failed:\n3\n4\n5\n6\n7\n8"));
}

TEST_CASE("uv's failures are told apart") {
  const auto uv_says = [](std::string_view said) { return uv_error(said, "3.13").message(); };
  CHECK(uv_says("  × No solution found when resolving dependencies:\n  ╰─▶ Because nosuch was not "
                "found in the package registry and you require nosuch, we can conclude that your "
                "requirements are unsatisfiable.") == "the package index has no `nosuch`");
  CHECK(uv_says("  × No solution found when resolving dependencies:\n  ╰─▶ Because docopt has no "
                "usable wheels and you require docopt")
            .starts_with("there is no wheel of `docopt`"));
  CHECK(uv_says("  × No solution found when resolving dependencies:\n  ╰─▶ Because you require "
                "a==1 and a==2, we can conclude")
            .starts_with("no versions fit together for Python 3.13:\n"));
  CHECK(uv_says("error: Failed to fetch: `https://i/simple/a/`\n  Caused by: dns error")
            .starts_with("the package index cannot be reached"));
}

TEST_CASE("what pip and an index say cannot play with the terminal") {
  CHECK(pip_says("No matching distribution found for x==1\x1b[31m\n").find("`x==1\\x1b[31m`") !=
        std::string::npos);
  CHECK(pip_says("ProxyError \x1b]0;title\a").find('\x1b') == std::string::npos);
}

}  // namespace pybox::builder
