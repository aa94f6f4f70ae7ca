#include "files/name.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "base/text.hpp"

namespace pybox::files {

TEST_CASE("ordinary names of any script may travel") {
  for (const char* name : {"a", "data.csv", "-rf", "a b", "naïve", "数据.csv", "..a", "'\"$(id)"}) {
    INFO(name);
    CHECK(fault_of_component(name).empty());
  }
  CHECK(fault_of_component(std::string(255, 'n')).empty());
  CHECK(fault_of_path("a/b/c.txt").empty());
}

TEST_CASE("names that deceive, climb or do not fit may not travel") {
  const std::string_view control = "its name holds control or invisible characters";
  CHECK(fault_of_component("") == "its name is not a file name");
  CHECK(fault_of_component("..") == "its name is not a file name");
  CHECK(fault_of_component("a/b") == "its name holds a slash");
  CHECK(fault_of_component("a\nb") == control);
  CHECK(fault_of_component("\x1b[2J") == control);
  CHECK(fault_of_component(std::string_view("a\0b", 3)) == control);
  CHECK(fault_of_component("\xe2\x80\xaegpj") == control);
  CHECK(fault_of_component("\xff\xfe") == "its name is not UTF-8");
  CHECK(fault_of_component(std::string(256, 'n')) == "its name is longer than 255 bytes");
  CHECK(fault_of_path("") == "its name is not a file name");
  CHECK(fault_of_path("/etc/passwd") == "its name is not a file name");
  CHECK(fault_of_path("a//b") == "its name is not a file name");
  CHECK(fault_of_path("a/../b") == "its name is not a file name");
  CHECK(fault_of_path("a/") == "its name is not a file name");
}

TEST_CASE("paths are bounded in length and depth") {
  std::string deep = "a";
  for (int i = 1; i < 32; ++i) deep += "/a";
  CHECK(fault_of_path(deep).empty());
  CHECK(fault_of_path(deep + "/a") == "it lies deeper than 32 folders");
  std::string longest = std::string(255, 'n');
  for (int i = 0; i < 3; ++i) longest += "/" + std::string(255, 'n');
  CHECK(fault_of_path(longest).empty());
  CHECK(fault_of_path(longest + "/aa") == "its path is longer than 1024 bytes");
}

TEST_CASE("a crafted name is shown escaped and cut") {
  CHECK(shown("a.txt") == "a.txt");
  CHECK(shown("a\nb") == "a\\x0ab");
  CHECK(shown(std::string(200, 'x')) == std::string(200, 'x'));
  CHECK(shown(std::string(100000, '\n')).size() <= 204);
  CHECK(is_utf8(shown(std::string(199, 'x') + "é…")));
}

}  // namespace pybox::files
