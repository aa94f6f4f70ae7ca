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

PipTrouble kind(std::string_view said, std::string_view log = {}) {
  return trouble_in_pip(said, log).trouble;
}

}  // namespace

TEST_CASE("pip's failures are told apart") {
  CHECK(kind(kWrongHash) == PipTrouble::WrongHash);
  CHECK(trouble_in_pip(kWrongHash, {}).subject == "tabulate==0.9.0");
  CHECK(kind(kNoMatch, kSources) == PipTrouble::NoWheel);
  CHECK(kind(kNoMatch, kOtherPlatform) == PipTrouble::NoWheel);
  CHECK(kind(kNoMatch, kOtherVersions) == PipTrouble::UnknownVersion);
  CHECK(kind(kNoMatch) == PipTrouble::UnknownPackage);
  CHECK(trouble_in_pip(kNoMatch, kSources).subject == "docopt==0.6.2");
  CHECK(kind(std::string(kRefused) + std::string(kNoMatch)) == PipTrouble::NoNetwork);
  CHECK(kind(kNoMatch, kRefused) == PipTrouble::NoNetwork);
  CHECK(kind("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))") ==
        PipTrouble::NoCertificate);
  CHECK(kind("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on "
             "device\n") == PipTrouble::NoSpace);
  CHECK(kind("something new") == PipTrouble::Unknown);
}

TEST_CASE("uv's failures are told apart") {
  CHECK(
      trouble_in_uv("  × No solution found when resolving dependencies:\n  ╰─▶ Because nosuch was "
                    "not found in the package registry and you require nosuch, we can conclude "
                    "that your requirements are unsatisfiable.")
          .subject == "nosuch");
  CHECK(trouble_in_uv("  × No solution found when resolving dependencies:\n  ╰─▶ Because docopt "
                      "has no usable wheels and you require docopt")
            .trouble == PipTrouble::NoWheel);
  CHECK(trouble_in_uv("  × No solution found when resolving dependencies:\n  ╰─▶ Because you "
                      "require a==1 and a==2, we can conclude")
            .trouble == PipTrouble::Unsatisfiable);
  CHECK(trouble_in_uv("error: Failed to fetch: `https://i/simple/a/`\n  Caused by: dns error")
            .trouble == PipTrouble::NoNetwork);
}

TEST_CASE("each failure has its own message and a hint, and nothing a terminal would obey") {
  const PipFinding wheel{PipTrouble::NoWheel, "x==1\x1b[31m"};
  const Error error = pip_error(wheel, "3.14", "");
  CHECK(error.message() == "there is no wheel of `x==1\\x1b[31m` for Python 3.14 on this platform");
  CHECK(!error.hint().empty());
  CHECK(pip_error({PipTrouble::WrongHash, "x==1"}, "3.13", "").kind() == ErrorKind::Evidence);
  for (const PipTrouble trouble :
       {PipTrouble::NoNetwork, PipTrouble::NoCertificate, PipTrouble::WrongHash,
        PipTrouble::UnknownPackage, PipTrouble::UnknownVersion, PipTrouble::NoWheel,
        PipTrouble::Unsatisfiable, PipTrouble::NoSpace}) {
    CHECK(!pip_error({trouble, "x==1"}, "3.13", "said").hint().empty());
  }
  CHECK(pip_error({}, "3.13", "one\ntwo\n").message() == "the builder failed:\none\ntwo");
}

}  // namespace pybox::builder
