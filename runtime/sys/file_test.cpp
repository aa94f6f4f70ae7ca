#include "sys/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/listing.hpp"
#include "sys/new_file.hpp"

namespace pybox::sys {
namespace {

struct TempDir {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("pybox-file-test-" + random_hex(6));
  TempDir() { std::filesystem::create_directory(path); }
  ~TempDir() { (void)remove_tree(path); }
};

}  // namespace

TEST_CASE("a file is replaced whole and leaves no temporary neighbour") {
  const TempDir dir;
  REQUIRE(replace_file(dir.path / "a", "one"));
  REQUIRE(replace_file(dir.path / "a", "two"));
  CHECK(read_file(dir.path / "a").value() == "two");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
  struct stat info {};
  REQUIRE(::stat((dir.path / "a").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600U);
}

TEST_CASE("what a kill left of a replacement goes with the next one") {
  const TempDir dir;
  REQUIRE(replace_file(dir.path / "a", "one"));
  REQUIRE(create_file(dir.path / ".a.new", "left").value());
  REQUIRE(replace_file(dir.path / "a", "two"));
  CHECK(read_file(dir.path / "a").value() == "two");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
}

TEST_CASE("a file is created only where there is none") {
  const TempDir dir;
  CHECK(create_file(dir.path / "a", "one").value());
  CHECK_FALSE(create_file(dir.path / "a", "two").value());
  CHECK(read_file(dir.path / "a").value() == "one");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
  CHECK_FALSE(create_file(dir.path / "no" / "a", "one").has_value());
}

TEST_CASE("a folder that cannot be read is told from an empty one") {
  const TempDir dir;
  std::error_code trouble;
  CHECK(entries_of(dir.path, trouble).empty());
  CHECK_FALSE(trouble);
  REQUIRE(replace_file(dir.path / "a", "one"));
  CHECK(entries_of(dir.path, trouble) == std::vector{dir.path / "a"});
  CHECK(entries_of(dir.path / "no", trouble).empty());
  CHECK(trouble);
}

TEST_CASE("a file larger than the limit is refused, not cut") {
  const TempDir dir;
  REQUIRE(replace_file(dir.path / "a", "12345"));
  CHECK(read_file(dir.path / "a", Bytes{5}).has_value());
  CHECK_FALSE(read_file(dir.path / "a", Bytes{4}).has_value());
}

TEST_CASE("a read-only tree can be removed and links are not followed") {
  const TempDir dir;
  const auto tree = dir.path / "tree";
  std::filesystem::create_directories(tree / "sub");
  REQUIRE(replace_file(dir.path / "kept", "x"));
  REQUIRE(replace_file(tree / "sub" / "f", "x"));
  std::filesystem::create_symlink(dir.path, tree / "sub" / "up");
  ::chmod((tree / "sub").c_str(), 0555);
  ::chmod(tree.c_str(), 0555);
  REQUIRE(remove_tree(tree));
  CHECK_FALSE(std::filesystem::exists(tree));
  CHECK(std::filesystem::exists(dir.path / "kept"));
  CHECK(remove_tree(tree));  // absent is fine
}

TEST_CASE("a private folder is made with its parents and a link in its place is refused") {
  const TempDir dir;
  REQUIRE(ensure_private_dir(dir.path / "a" / "b"));
  struct stat info {};
  REQUIRE(::stat((dir.path / "a" / "b").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0700U);
  std::filesystem::create_directory_symlink("/tmp", dir.path / "link");
  const auto refused = ensure_private_dir(dir.path / "link");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("is not a folder") != std::string::npos);
}

TEST_CASE("a folder that anyone may write to is not private") {
  const TempDir dir;
  REQUIRE(ensure_private_dir(dir.path / "open"));
  REQUIRE(::chmod((dir.path / "open").c_str(), 0777) == 0);
  const auto refused = ensure_private_dir(dir.path / "open");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().starts_with("everybody may write to the folder"));
  REQUIRE(::chmod((dir.path / "open").c_str(), 0755) == 0);
  CHECK(ensure_private_dir(dir.path / "open"));
}

}  // namespace pybox::sys
