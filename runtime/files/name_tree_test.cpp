#include "files/name_tree.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::files {

using Kind = InputFile::Kind;

TEST_CASE("paths that share folders do not meet") {
  NameTree tree;
  CHECK(!tree.add("d/a", Kind::File));
  CHECK(!tree.add("d/b", Kind::File));
  CHECK(!tree.add("d", Kind::Folder));
  CHECK(!tree.add("d/e", Kind::Folder));
  CHECK(!tree.add("a", Kind::File));
}

TEST_CASE("the same path, another spelling of it, and a file in the way meet") {
  NameTree tree;
  CHECK(!tree.add("A.txt", Kind::File));
  CHECK(tree.add("A.txt", Kind::File) == "A.txt");
  CHECK(tree.add("a.txt", Kind::File) == "A.txt");
  CHECK(!tree.add("Dir/x", Kind::File));
  CHECK(tree.add("dir/y", Kind::File) == "Dir");
  CHECK(tree.add("DIR", Kind::File) == "Dir");
  CHECK(tree.add("A.txt/b", Kind::File) == "A.txt");
  CHECK(tree.add("Dir/x", Kind::Folder) == "Dir/x");
  CHECK(!tree.add("caf\xc3\xa9", Kind::File));
  CHECK(tree.add("cafe\xcc\x81", Kind::File) == "caf\xc3\xa9");
}

}  // namespace pybox::files
