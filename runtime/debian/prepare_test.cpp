#include "debian/prepare.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::debian {
namespace {

namespace fs = std::filesystem;

struct Tree {
  fs::path root = fs::temp_directory_path() / ("pybox-prepare-" + random_hex(6));
  Tree() { REQUIRE(sys::ensure_private_dir(root)); }
  ~Tree() { (void)sys::remove_tree(root); }
  void file(const std::string& path, const std::string& text = "x") const {
    REQUIRE(sys::ensure_private_dir((root / path).parent_path()));
    REQUIRE(sys::replace_file(root / path, text));
  }
  bool has(const std::string& path) const { return fs::exists(fs::symlink_status(root / path)); }
};

}  // namespace

TEST_CASE("what the recipe drops goes, by path or by pattern in the last component") {
  const Tree tree;
  for (const char* path : {"boot/vmlinuz", "usr/bin/apt", "usr/bin/apt-get", "usr/bin/cat",
                           "usr/sbin/ldconfig", "usr/sbin/zic"})
    tree.file(path);
  store::Recipe recipe;
  recipe.drop = {"boot", "usr/bin/apt*", "not/there", "not/there/x*"};
  recipe.keep_only = {{"usr/sbin", {"ldconfig"}}};
  REQUIRE(prune(tree.root, recipe));
  CHECK(!tree.has("boot"));
  CHECK(!tree.has("usr/bin/apt"));
  CHECK(!tree.has("usr/bin/apt-get"));
  CHECK(tree.has("usr/bin/cat"));
  CHECK(tree.has("usr/sbin/ldconfig"));
  CHECK(!tree.has("usr/sbin/zic"));
}

TEST_CASE("a link in the tree never leads a recipe out of it") {
  const Tree outside;
  outside.file("precious/file");
  const Tree tree;
  fs::create_directory_symlink(outside.root / "precious", tree.root / "etc");
  store::Recipe recipe;
  recipe.drop = {"etc/file"};
  CHECK(prune(tree.root, recipe).error().kind() == ErrorKind::Evidence);
  recipe = {};
  recipe.files = {{"etc/passwd", "x"}};
  CHECK(furnish(tree.root, recipe, {}).error().kind() == ErrorKind::Evidence);
  CHECK(outside.has("precious/file"));
  CHECK(!outside.has("precious/passwd"));
  CHECK(!path_inside(tree.root, "../x"));
  CHECK(!path_inside(tree.root, "/x"));
  // The link itself may be dropped.
  recipe = {};
  recipe.drop = {"etc"};
  REQUIRE(prune(tree.root, recipe));
  CHECK(!tree.has("etc"));
  CHECK(outside.has("precious/file"));
}

TEST_CASE("folders, files, links and the list of packages are written") {
  const Tree tree;
  tree.file("etc/hostname", "the build host");
  store::Recipe recipe;
  recipe.folders = {"proc", "var/lib/dpkg"};
  recipe.files = {{"etc/hostname", "box\n"}};
  recipe.links = {{"usr/bin/python3", "python3.13"}};
  REQUIRE(furnish(tree.root, recipe, {{"tzdata", "1:2", "all", "f", 1, "d"}}));
  CHECK(fs::is_directory(tree.root / "proc"));
  CHECK(sys::read_file(tree.root / "etc/hostname").value() == "box\n");
  CHECK(fs::read_symlink(tree.root / "usr/bin/python3") == "python3.13");
  CHECK(sys::read_file(tree.root / "var/lib/dpkg/status").value() ==
        "Package: tzdata\nStatus: install ok unpacked\nArchitecture: all\nVersion: 1:2\n\n");
}

TEST_CASE("the tree's Python runs by the tree's loader and sees nothing of the host") {
  store::Recipe recipe;
  recipe.python = "3.13";
  const sys::SpawnPlan plan = python_of_tree("/r", recipe, {"-c", "pass"});
  CHECK(plan.program.string().starts_with("/r/usr/lib"));
  CHECK(plan.args.at(0) == "--library-path");
  CHECK(std::vector<std::string>(plan.args.begin() + 2, plan.args.end()) ==
        std::vector<std::string>{"/r/usr/bin/python3.13", "-S", "-P", "-c", "pass"});
  bool seeded = false;
  for (const std::string& variable : plan.environment)
    seeded = seeded || variable == "PYTHONHASHSEED=0";
  CHECK(seeded);
}

}  // namespace pybox::debian
