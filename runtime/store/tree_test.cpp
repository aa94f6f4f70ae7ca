#include "store/tree.hpp"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "store/recipe.hpp"
#include "sys/file.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

/// A small tree of its own, removed at the end.
struct Tree {
  fs::path root = fs::temp_directory_path() / ("pybox-tree-" + random_hex(6));
  Tree() {
    REQUIRE(sys::ensure_private_dir(root / "usr" / "bin"));
    REQUIRE(sys::replace_file(root / "usr" / "bin" / "run", "#!/bin/sh\n", 0700));
    REQUIRE(sys::replace_file(root / "usr" / "a b\\c\n", "text", 0600));
    fs::create_symlink("usr/bin", root / "bin");
  }
  ~Tree() { (void)sys::remove_tree(root); }
  std::string text() const {
    NoProgress quiet;
    return canonical_text(list_tree(root, quiet).value());
  }
};

}  // namespace

TEST_CASE("a settled tree has a canonical text that anybody can recompute") {
  Tree tree;
  ::chmod((tree.root / "usr" / "bin" / "run").c_str(), 04755);
  REQUIRE(settle_tree(tree.root));
  const std::string expected = "d 0555 - .\nl 0777 usr/bin bin\nd 0555 - usr\nf 0444 " +
                               sha256_hex("text") +
                               " usr/a\\x20b\\x5cc\\x0a\nd 0555 - usr/bin\nf 0555 " +
                               sha256_hex("#!/bin/sh\n") + " usr/bin/run\n";
  CHECK(tree.text() == expected);
  CHECK(tree_id(expected) == "sha256:" + sha256_hex(expected));
  struct stat info {};
  REQUIRE(::lstat((tree.root / "bin").c_str(), &info) == 0);
  CHECK(info.st_mtim.tv_sec == kFileTime);
}

TEST_CASE("entries are sorted by bytes, whatever order they come in") {
  const std::string text = canonical_text({{'f', 0444, "a/b", "1"},
                                           {'f', 0444, "a.b", "2"},
                                           {'d', 0555, ".", ""},
                                           {'f', 0444, "\xff", "3"},
                                           {'f', 0444, "-", "4"},
                                           {'d', 0555, "a", ""}});
  CHECK(text == "d 0555 - .\nf 0444 4 -\nd 0555 - a\nf 0444 2 a.b\nf 0444 1 a/b\nf 0444 3 \\xff\n");
}

TEST_CASE("a changed, added, removed or re-moded file is found and named") {
  Tree tree;
  REQUIRE(settle_tree(tree.root));
  const std::string text = tree.text();
  NoProgress quiet;
  CHECK(verify_tree(tree.root, text, quiet));
  const fs::path program = tree.root / "usr" / "bin" / "run";
  ::chmod(program.c_str(), 0755);
  const auto moded = verify_tree(tree.root, text, quiet);
  REQUIRE(!moded);
  CHECK(moded.error().kind() == ErrorKind::Evidence);
  CHECK(moded.error().message().find("usr/bin/run") != std::string::npos);
  ::chmod((tree.root / "usr" / "bin").c_str(), 0755);
  fs::remove(program);
  CHECK(!verify_tree(tree.root, text, quiet));
}

TEST_CASE("a FIFO makes no image") {
  Tree tree;
  REQUIRE(::mkfifo((tree.root / "usr" / "pipe").c_str(), 0600) == 0);
  const auto settled = settle_tree(tree.root);
  REQUIRE(!settled);
  CHECK(settled.error().message().find("usr/pipe") != std::string::npos);
  NoProgress quiet;
  CHECK(!list_tree(tree.root, quiet));
}

}  // namespace pybox::store
