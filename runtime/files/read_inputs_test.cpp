#include "files/read_inputs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "files/folder_for_tests.hpp"

namespace pybox::files {
namespace {

std::string refusal(const std::vector<std::string>& paths, ErrorKind kind = ErrorKind::Refused) {
  const auto read = read_inputs(paths);
  if (read) return "";
  CHECK(read.error().kind() == kind);
  return read.error().message();
}

}  // namespace

TEST_CASE("a file and a folder are read under their last components") {
  TestFolder folder;
  folder.file("x/a.csv", "1,2");
  folder.file("data/sub/b", "b");
  std::filesystem::create_directories(folder.path / "data/empty");
  const auto inputs = read_inputs(std::vector{folder.at("x/a.csv"), folder.at("data/")});
  REQUIRE(inputs);
  std::string names;
  for (const InputFile& input : *inputs)
    names += input.name + (input.kind == InputFile::Kind::Folder ? "/ " : "=" + input.bytes + " ");
  CHECK(names == "a.csv=1,2 data/ data/empty/ data/sub/ data/sub/b=b ");
}

TEST_CASE("links, devices and FIFOs among the inputs are refused, wherever they are") {
  TestFolder folder;
  folder.file("real/f", "x");
  REQUIRE(::symlink("f", folder.at("real/link").c_str()) == 0);
  REQUIRE(::symlink(folder.at("real").c_str(), folder.at("way").c_str()) == 0);
  ::mkfifo(folder.at("pipe").c_str(), 0600);
  CHECK(refusal({folder.at("real")}) ==
        "the input `" + folder.at("real/link") + "` is a link, which is not followed");
  CHECK(refusal({folder.at("way")}) ==
        "the input `" + folder.at("way") + "` is a link, which is not followed");
  CHECK(refusal({folder.at("way/")}).ends_with("is a link, which is not followed"));
  CHECK(refusal({folder.at("pipe")}).ends_with("is a FIFO, not a file or folder"));
  CHECK(refusal({"/dev/null"}) == "the input `/dev/null` is a device, not a file or folder");
  // The way to a path is the caller's own.
  CHECK(refusal({folder.at("way/f")}).empty());
}

TEST_CASE("equal base names and names that fold to one are refused") {
  TestFolder folder;
  folder.file("x/a.csv", "1");
  folder.file("y/a.csv", "2");
  folder.file("z/A.csv", "3");
  CHECK(refusal({folder.at("x/a.csv"), folder.at("y/a.csv")}) ==
        "the input `a.csv` cannot be handed in: another input has the same name");
  CHECK(refusal({folder.at("x/a.csv"), folder.at("z/A.csv")})
            .ends_with("only in case or normalisation"));
}

TEST_CASE("more than 8 MiB in all is refused without reading it") {
  TestFolder folder;
  folder.file("a", std::string(5U << 20U, 'x'));
  folder.file("b", std::string(4U << 20U, 'x'));
  CHECK(refusal({folder.at("a"), folder.at("b")}) ==
        "the input `" + folder.at("b") +
            "` of 4 MiB is too large: at most 8 MiB are handed in, in all");
  REQUIRE(::truncate(folder.at("a").c_str(), 1LL << 40U) == 0);
  CHECK(refusal({folder.at("a")}).find("is too large") != std::string::npos);
}

TEST_CASE("names that cannot travel and too many files are refused") {
  TestFolder folder;
  folder.file("a\nb", "x");
  CHECK(refusal({folder.at("a\nb")}).ends_with("its name holds control or invisible characters"));
  for (int i = 0; i < 2048; ++i) folder.file("many/" + std::to_string(i), "");
  CHECK(refusal({folder.at("many")})
            .ends_with("is one too many: at most 2048 files and folders are handed in"));
}

TEST_CASE("an input that is not there is wrong usage") {
  CHECK(refusal({"/nonexistent/a"}, ErrorKind::Usage) ==
        "reading the input `/nonexistent/a`: No such file or directory");
  CHECK(refusal({""}, ErrorKind::Usage) == "the name of an input is empty");
  CHECK(refusal({"/"}) == "the input `/` is the root folder, or nothing");
}

}  // namespace pybox::files
