#include "debian/sources.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::debian {
namespace {

HostSource entry(std::string uri, std::vector<std::string> suites = {"bookworm"},
                 std::vector<std::string> components = {"main"}) {
  return {std::move(uri), std::move(suites), std::move(components)};
}

}  // namespace

TEST_CASE("deb822 sources: binary stanzas give their URIs, suites and components") {
  const auto found = sources_in_file(
      "Types: deb deb-src\n# a remark\nURIs: http://a.example/debian\n  http://b.example/debian\n"
      "Suites: bookworm bookworm-updates\nComponents: main contrib\nSigned-By: /x\n\n"
      "Types: deb-src\nURIs: http://c.example/debian\nSuites: bookworm\nComponents: main\n\n"
      "Types: deb\nEnabled: no\nURIs: http://d.example/debian\nSuites: bookworm\nComponents: "
      "main\n",
      true);
  REQUIRE(found.size() == 2);
  CHECK(found[0].uri == "http://a.example/debian");
  CHECK(found[1].uri == "http://b.example/debian");
  CHECK(found[1].suites == std::vector<std::string>{"bookworm", "bookworm-updates"});
  CHECK(found[1].components == std::vector<std::string>{"main", "contrib"});
}

TEST_CASE("one-line sources: options, comments and source lines are understood") {
  const auto found = sources_in_file(
      "deb [arch=amd64 signed-by=/k] http://a.example/debian/ bookworm main contrib # main mirror\n"
      "#deb http://b.example/debian bookworm main\ndeb-src http://c.example/debian bookworm main\n"
      "deb [broken http://d.example/debian bookworm main\ndeb http://e.example/debian-security "
      "bookworm-security main\n",
      false);
  REQUIRE(found.size() == 2);
  CHECK(found[0].uri == "http://a.example/debian/");
  CHECK(found[0].components == std::vector<std::string>{"main", "contrib"});
  CHECK(found[1].suites == std::vector<std::string>{"bookworm-security"});
}

TEST_CASE("a Debian host's own mirror serves the suite, its updates and its security") {
  const auto picked = pick_sources(
      {entry("http://m.example/debian/"), entry("http://m.example/debian-security")}, "trixie");
  CHECK(picked ==
        std::vector<ArchiveSource>{{"http://m.example/debian", "trixie"},
                                   {"http://m.example/debian", "trixie-updates"},
                                   {"http://m.example/debian-security", "trixie-security"}});
}

TEST_CASE("other vendors whose path ends in /debian do not come before Debian's mirror") {
  const std::vector<HostSource> host = {
      entry("https://vendor.example/linux/debian", {"bookworm"}, {"stable"}),
      entry("https://pkg.example/debian", {"binary/"}, {}),
      entry("https://packages.example/tool/debian"),
      entry("http://m.example/pub/debian", {"bookworm"}),
      entry("http://m.example/pub/debian", {"bookworm-updates"})};
  CHECK(pick_sources(host, "trixie").at(0).uri == "http://m.example/pub/debian");
  CHECK(pick_sources({host[0], host[1]}, "trixie").empty());
}

TEST_CASE("a host that is not Debian's names no mirror") {
  CHECK(pick_sources({entry("http://archive.example/ubuntu", {"noble", "noble-updates"})}, "trixie")
            .empty());
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

TEST_CASE("sources are read from every file of an apt folder in name order") {
  const auto folder = std::filesystem::temp_directory_path() / ("pybox-apt-" + random_hex(6));
  REQUIRE(sys::ensure_private_dir(folder / "sources.list.d"));
  REQUIRE(
      sys::replace_file(folder / "sources.list", "deb http://0.example/debian bookworm main\n"));
  REQUIRE(sys::replace_file(folder / "sources.list.d" / "b.list",
                            "deb http://2.example/debian bookworm main\n"));
  REQUIRE(sys::replace_file(folder / "sources.list.d" / "a.sources",
                            "Types: deb\nURIs: http://1.example/debian\n"));
  REQUIRE(sys::replace_file(folder / "sources.list.d" / "c.save",
                            "deb http://3.example/debian bookworm main\n"));
  std::string order;
  for (const HostSource& source : sources_of_host(folder)) order += source.uri.substr(7, 1);
  CHECK(order == "012");
  CHECK(sources_of_host(folder / "nothing-here").empty());
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

TEST_CASE("whether apt takes expired lists is read from its own words") {
  CHECK(takes_expired_lists("Acquire::Check-Valid-Until \"false\";\n"));
  CHECK(takes_expired_lists("Acquire::Check-Valid-Until \"0\";\n"));
  CHECK(!takes_expired_lists("Acquire::Check-Valid-Until \"true\";\n"));
  CHECK(!takes_expired_lists("Acquire::Check-Valid-Until \"falsetto\";\n"));
  CHECK(!takes_expired_lists(""));
}

}  // namespace pybox::debian
