#include "debian/archive_trouble.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::debian {
namespace {

sys::ToolResult failed_saying(const std::string& err) {
  sys::ToolResult result;
  result.status.code = 1;
  result.err = err;
  return result;
}

// As apt 2.6 and 3.0 print them.
constexpr const char* kUnresolved =
    "Err:1 http://m.example/debian trixie InRelease\n  Temporary failure resolving 'm.example'\n"
    "E: Failed to fetch http://m.example/debian/dists/trixie/InRelease  Temporary failure "
    "resolving 'm.example'\n"
    "E: Some index files failed to download. They have been ignored, or old ones used instead.\n";
constexpr const char* kRefused =
    "E: Failed to fetch http://127.0.0.1:1/debian/dists/trixie/InRelease  Could not connect to "
    "127.0.0.1:1 "
    "(127.0.0.1). - connect (111: Connection refused)\nE: Download Failed\n";
constexpr const char* kNotFound =
    "E: Failed to fetch http://m.example/dists/trixie/InRelease  404  File not found [IP: "
    "127.0.0.1 80]\n";
constexpr const char* kPortal =
    "E: Failed to fetch http://m.example/debian/dists/trixie/InRelease  Clearsigned file isn't "
    "valid, got 'NOSPLIT' "
    "(does the network require authentication?)\nE: The repository 'http://m.example/debian trixie "
    "InRelease' is not signed.\n";
constexpr const char* kUnsigned =
    "E: The repository 'http://m.example/debian trixie Release' is not signed.\n";
constexpr const char* kForeignKey =
    "W: GPG error: http://m.example/debian trixie InRelease: The following signatures couldn't be "
    "verified because the "
    "public key is not available: NO_PUBKEY 6ED0E7B82643E131\nE: The repository "
    "'http://m.example/debian trixie "
    "InRelease' is not signed.\n";
constexpr const char* kEarly =
    "E: Release file for http://m.example/debian/dists/trixie/InRelease is not valid yet (invalid "
    "for another 2d).\n";
constexpr const char* kFull = "E: Write error - write (28: No space left on device)\n";

}  // namespace

TEST_CASE("what apt printed tells why there are no packages") {
  CHECK(trouble_in(failed_saying(kUnresolved)) == ArchiveTrouble::NoNetwork);
  CHECK(trouble_in(failed_saying(kRefused)) == ArchiveTrouble::NoNetwork);
  CHECK(trouble_in(failed_saying(kNotFound)) == ArchiveTrouble::NotAMirror);
  CHECK(trouble_in(failed_saying(kPortal)) == ArchiveTrouble::NotAMirror);
  CHECK(trouble_in(failed_saying(kUnsigned)) == ArchiveTrouble::NotTrusted);
  CHECK(trouble_in(failed_saying(kForeignKey)) == ArchiveTrouble::NotTrusted);
  CHECK(trouble_in(failed_saying(kEarly)) == ArchiveTrouble::Clock);
  CHECK(trouble_in(failed_saying(kFull)) == ArchiveTrouble::NoSpace);
  CHECK(trouble_in(failed_saying("E: something new\n")) == ArchiveTrouble::Unknown);
}

TEST_CASE("an archive error names the mirror, quotes apt's reason and says what to do") {
  const Error unresolved = archive_error(failed_saying(kUnresolved), "http://m.example/debian");
  CHECK(unresolved.kind() == ErrorKind::HostCannot);
  CHECK(unresolved.message() ==
        "http://m.example/debian cannot be reached: no network, or nothing answers there\n  E: "
        "Failed to fetch "
        "http://m.example/debian/dists/trixie/InRelease  Temporary failure resolving 'm.example'");
  CHECK(unresolved.hint().find("--mirror") != std::string::npos);
  CHECK(archive_error(failed_saying(kNotFound), "http://m.example")
            .message()
            .starts_with("http://m.example is not a mirror of Debian 13"));
  CHECK(archive_error(failed_saying(kForeignKey), "m").kind() == ErrorKind::Evidence);
  CHECK(
      archive_error(failed_saying(kFull), "m").message().starts_with("no space left on the disk"));
  CHECK(archive_error(failed_saying(kEarly), "m").hint().find("clock") != std::string::npos);
  CHECK(archive_error(failed_saying("E: something new\n"), "m").message().find("something new") !=
        std::string::npos);
}

TEST_CASE("what a mirror made apt print cannot play with the terminal") {
  const Error error =
      archive_error(failed_saying("E: Failed to fetch x \x1b]0;title\a  404  Not Found\n"), "m");
  CHECK(error.message().find('\x1b') == std::string::npos);
}

}  // namespace pybox::debian
