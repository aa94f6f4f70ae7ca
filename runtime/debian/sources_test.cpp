#include "debian/sources.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::debian {
namespace {

ArchiveSource entry(std::string uri, std::string suite = "bookworm") {
  return {std::move(uri), std::move(suite)};
}

}  // namespace

TEST_CASE("the sources of apt are those of its package lists with component main") {
  const auto found = sources_in_uris(
      "'http://a.example/debian/dists/bookworm/InRelease' a_InRelease 0 \n"
      "'http://a.example/debian/dists/bookworm/main/binary-amd64/Packages.xz' a_Packages 0 \n"
      "'http://a.example/debian/dists/bookworm/main/dep11/Components-all.yml.xz' a_yml 0 \n"
      "'http://a.example/debian/dists/bookworm/contrib/binary-amd64/Packages.xz' a_Packages 0 \n"
      "'http://b.example/dists/bookworm/updates/main/binary-amd64/Packages.xz' b_Packages 0 \n"
      "'http://flat.example/binary/Packages.xz' flat_Packages 0 \n"
      "W: 'http://w.example/debian/dists/bookworm/main/binary-amd64/Packages.xz' is odd\n"
      "'http://no.example/debian/dists/bookworm/main/binary-amd64");
  CHECK(found == std::vector<ArchiveSource>{{"http://a.example/debian", "bookworm"},
                                            {"http://b.example", "bookworm/updates"},
                                            {"http://no.example/debian", "bookworm"}});
  CHECK(sources_in_uris("").empty());
}

TEST_CASE("a Debian host's own mirror serves the suite, its updates and its security") {
  const auto picked = pick_sources(
      {entry("http://m.example/debian"), entry("http://m.example/debian-security")}, "trixie");
  CHECK(picked ==
        std::vector<ArchiveSource>{{"http://m.example/debian", "trixie"},
                                   {"http://m.example/debian", "trixie-updates"},
                                   {"http://m.example/debian-security", "trixie-security"}});
}

TEST_CASE("other vendors whose path ends in /debian do not come before Debian's mirror") {
  const std::vector<ArchiveSource> host = {
      entry("https://packages.example/tool/debian"),
      entry("http://m.example/pub/debian", "bookworm"),
      entry("http://m.example/pub/debian", "bookworm-updates")};
  CHECK(pick_sources(host, "trixie").at(0).uri == "http://m.example/pub/debian");
  CHECK(pick_sources({entry("https://vendor.example/linux/other")}, "trixie").empty());
}

TEST_CASE("a host that is not Debian's names no mirror") {
  CHECK(pick_sources({entry("http://archive.example/ubuntu", "noble-updates")}, "trixie").empty());
  CHECK(pick_sources({}, "trixie").empty());
}

TEST_CASE("a mirror list in a file is judged by its first entry, and passed on as it is") {
  const auto folder = std::filesystem::temp_directory_path() / ("pybox-sources-" + random_hex(6));
  REQUIRE(sys::ensure_private_dir(folder));
  REQUIRE(sys::replace_file(folder / "d.list", "# mirrors\nhttps://m.example/debian/\n"));
  REQUIRE(sys::replace_file(folder / "u.list", "https://m.example/ubuntu\n"));
  const std::string uri = "mirror+file:" + (folder / "d.list").string();
  CHECK(pick_sources({entry("mirror+file:" + (folder / "u.list").string()), entry(uri)}, "trixie")
            .at(0)
            .uri == uri);
  CHECK(pick_sources({entry("mirror+file:/does/not/exist")}, "trixie").empty());
  REQUIRE(sys::remove_tree(folder));
}

TEST_CASE("the mirror option takes URLs and nothing that could end its apt line") {
  CHECK(check_mirror("http://m.example/debian/").value() == "http://m.example/debian");
  CHECK(check_mirror("file:///srv/debian"));
  for (const char* bad : {"", "m.example/debian", "ftp://m.example/debian", "http://",
                          "http://m.example/deb ian", "http://m.example/debian [trusted=yes]",
                          "http://m.example/\ndeb x", "http://m.example/d\x1b[2J"}) {
    const auto refused = check_mirror(bad);
    REQUIRE(!refused);
    CHECK(refused.error().kind() == ErrorKind::Usage);
    CHECK(refused.error().message().find('\x1b') == std::string::npos);
  }
}

TEST_CASE("an apt line names the keyring, and file: becomes copy:") {
  CHECK(apt_line({"http://m.example/debian", "trixie"}, "/k.gpg") ==
        "deb [signed-by=/k.gpg] http://m.example/debian trixie main");
  CHECK(apt_line({"file:///srv/debian", "trixie"}, "/k.gpg") ==
        "deb [signed-by=/k.gpg] copy:///srv/debian trixie main");
}

}  // namespace pybox::debian
