#include "debian/packages.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::debian {
namespace {

namespace fs = std::filesystem;

std::string line_for(const std::string& file, const std::string& content) {
  return "'http://m.example/pool/x y/" + file + "' " + file + " " + std::to_string(content.size()) +
         " SHA256:" + sha256_hex(content) + "\n";
}

store::Package package(std::string name, std::string version, std::string sha256 = "d") {
  return {std::move(name), std::move(version), "amd64", "f", 1, std::move(sha256)};
}

}  // namespace

TEST_CASE("apt's list of URIs becomes packages, sorted, with epochs decoded") {
  const auto packages =
      packages_in_uris(line_for("zlib1g_1%3a1.3.dfsg+really1.3.1-1_amd64.deb", "z") +
                       line_for("base-files_13.8+deb13u8_amd64.deb", "b"));
  REQUIRE(packages);
  REQUIRE(packages->size() == 2);
  CHECK(packages->at(0).name == "base-files");
  CHECK(packages->at(1).version == "1:1.3.dfsg+really1.3.1-1");
  CHECK(packages->at(1).architecture == "amd64");
  CHECK(packages->at(1).bytes == 1);
  CHECK(packages->at(1).sha256 == sha256_hex("z"));
}

TEST_CASE("a line without a SHA-256, or with an invalid file name, is refused") {
  for (const std::string& bad :
       {std::string("'u' a_1_all.deb 5 MD5Sum:00"),
        std::string("'u' a_1_all.deb x SHA256:") + std::string(64, '0'),
        std::string("u a_1_all.deb 5"),
        std::string("'u' ../a_1_all.deb 5 SHA256:") + std::string(64, '0'),
        std::string("'u' a_1.deb 5 SHA256:") + std::string(64, '0'),
        std::string("'u' .a_1_all.deb 5 SHA256:") + std::string(64, '0')}) {
    const auto refused = packages_in_uris(bad);
    REQUIRE(!refused);
    CHECK(refused.error().kind() == ErrorKind::Evidence);
  }
}

TEST_CASE(
    "a damaged package in the cache is dropped, and one that does not match is never accepted") {
  const fs::path folder = fs::temp_directory_path() / ("pybox-debs-" + random_hex(6));
  REQUIRE(sys::ensure_private_dir(folder));
  const auto packages =
      packages_in_uris(line_for("a_1_all.deb", "good") + line_for("b_1_all.deb", "best") +
                       line_for("c_1_all.deb", "none"))
          .value();
  REQUIRE(sys::replace_file(folder / "a_1_all.deb", "good"));
  REQUIRE(sys::replace_file(folder / "b_1_all.deb", "evil"));
  NoProgress quiet;
  const auto evil = verify_packages(folder, {packages[1]}, quiet);
  REQUIRE(!evil);
  CHECK(evil.error().kind() == ErrorKind::Evidence);
  CHECK(evil.error().message() == "the package b_1_all.deb is not the one the archive signed");
  CHECK(drop_damaged(folder, packages, quiet).value() == 8);
  CHECK(fs::exists(folder / "a_1_all.deb"));
  CHECK(!fs::exists(folder / "b_1_all.deb"));
  CHECK(verify_packages(folder, {packages[0]}, quiet));
  CHECK(verify_packages(folder, packages, quiet).error().message() ==
        "the package b_1_all.deb did not arrive");
  REQUIRE(sys::remove_tree(folder));
}

TEST_CASE("what changed between two sets is said by name") {
  const std::vector<store::Package> before = {package("a", "1"), package("b", "1"),
                                              package("c", "1"), package("d", "1")};
  const std::vector<store::Package> after = {package("a", "1"), package("b", "2"),
                                             package("d", "1", "other"), package("e", "1")};
  CHECK(what_changed(before, before).empty());
  CHECK(what_changed(before, after) ==
        "b 1 → 2, c 1 removed, d 1 (same version, other content), e 1 added");
  CHECK(what_changed(before, after, 1) == "b 1 → 2 and 3 more");
}

}  // namespace pybox::debian
